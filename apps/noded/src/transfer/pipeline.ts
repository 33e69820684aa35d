/** Shell command of a transfer, for bash. It is compatible with the other end being Ganeti's program. */
import { shellQuoted } from "../machine/runner.js";

/** One end of a transfer. This module is part of a separate program, so it imports no packages. */
export interface TransferSetup {
  readonly mode: "import" | "export";
  readonly key: string;
  readonly cert: string;
  readonly ca: string;
  /** Name in the certificate of the listening end; for exports only. */
  readonly peerName?: string | undefined;
  /** Host to connect to; for exports only. */
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly family: 4 | 6;
  readonly bind?: string | undefined;
  readonly compress: string;
  readonly magic?: string | undefined;
  readonly connectRetries: number;
  readonly connectTimeoutSeconds: number;
  /** Shell text before and after the transport. */
  readonly prefix: string;
  readonly suffix: string;
}

/** Descriptors of the shell: log of socat, log of dd, pid of dd, predicted size. */
export const descriptors = { socat: 3, dd: 4, pid: 5, size: 6 } as const;

const optionCharactersMax = 400;

/** @throws Error for values that would change the meaning of the command */
export function transferCommand(setup: TransferSetup): string {
  const shell = ["bash", "-o", "errexit", "-o", "pipefail", "-c", transport(setup)];
  return `${setup.prefix} ${shell.map(shellQuoted).join(" ")} ${setup.suffix}`.trim();
}

function transport(setup: TransferSetup): string {
  const socat = `${socatWords(setup).map(shellQuoted).join(" ")} 2>&${descriptors.socat}`;
  const tool = compressor(setup);
  const copy = `{ LC_ALL=C dd bs=1048576 <&0 2>&${descriptors.dd} & pid=\${!}; echo $pid >&${descriptors.pid}; wait $pid; }`;
  const parts =
    setup.mode === "import"
      ? [socat, tool, `{ ${checked(setup.magic)}${copy}; }`]
      : [`{ ${sent(setup.magic)}${copy}; }`, tool, socat];
  return parts.filter((part) => part !== null).join(" | ");
}

const magicText = (magic: string): string => {
  if (!/^[-_.a-zA-Z0-9]{5,100}$/.test(magic)) throw new Error("Magic contains invalid characters");
  return `M=${magic}`;
};

const sent = (magic: string | undefined): string =>
  magic === undefined ? "" : `echo -E -n ${magicText(magic)} && `;

function checked(magic: string | undefined): string {
  if (magic === undefined) return "";
  const text = magicText(magic);
  return `{ read -n ${text.length} magic && if test "$magic" != ${text}; then echo 'Magic value mismatch' >&2; exit 1; fi; } && `;
}

/** Command that compresses or decompresses; null for none. */
function compressor({ mode, compress }: TransferSetup): string | null {
  if (compress === "none") return null;
  if (!/^[-_a-zA-Z0-9]+$/.test(compress)) throw new Error(`Invalid compression '${compress}'`);
  if (/^gzip(-fast|-slow)?$/.test(compress)) {
    if (mode === "import") return "gzip -d -c";
    return compress === "gzip-slow" ? "gzip -c" : "gzip -1 -c";
  }
  if (compress === "lzop") return mode === "import" ? "lzop -d -c" : "lzop -c";
  return mode === "import" ? `${compress} -d` : compress;
}

/** Name of the program for a kind of compression. */
export const compressionTool = (compress: string): string => compress.replace(/^gzip-.*$/, "gzip");

function socatWords(setup: TransferSetup): readonly string[] {
  const { mode, key, cert, ca, peerName, bind, family } = setup;
  const options = [
    ...["keepalive", "keepidle=60", "keepintvl=10", "keepcnt=5", "verify=1"],
    ...["cipher=HIGH:-DES:-3DES:-EXPORT:-DH", "compress=none"],
    ...[`key=${key}`, `cert=${cert}`, `cafile=${ca}`],
    ...(bind === undefined ? [] : [`bind=${bind}`]),
    `pf=ipv${family}`,
  ];
  const words = ["socat", "-ls", "-d", "-d", "-b1048576", "-u"];
  if (mode === "import") {
    const listen = [`OPENSSL-LISTEN:${setup.port ?? 0}`, "reuseaddr", "forever", "intervall=0.01"];
    return [...words, address([...listen, ...options]), "stdout"];
  }
  const host = setup.host?.includes(":") ? `[${setup.host}]` : setup.host;
  const connect = [
    `OPENSSL:${host}:${setup.port}`,
    `connect-timeout=${setup.connectTimeoutSeconds}`,
    ...[`retry=${setup.connectRetries}`, "intervall=1"],
  ];
  // Up to TLS 1.2 the listener checks our certificate before data are sent, so that a refusal is noticed.
  const trust = [`openssl-commonname=${peerName}`, "openssl-max-proto-version=TLS1.2"];
  return [...words, "stdin", address([...connect, ...options, ...trust])];
}

/** socat splits addresses at commas. */
function address(parts: readonly string[]): string {
  for (const part of parts) {
    if (part.length > optionCharactersMax) {
      throw new Error(`Socat option longer than ${optionCharactersMax} characters: ${part}`);
    }
    if (part.includes(",")) throw new Error(`Comma not allowed in socat option value: ${part}`);
  }
  return parts.join(",");
}

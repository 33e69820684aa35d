#!/usr/bin/env node
/** The program `import-export`: one end of a transfer, with the command line and the files of Ganeti's program. */
import { spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { compressionTool } from "./transfer/pipeline.js";
import { note, Transfer } from "./transfer/transfer-run.js";

/**
 * Common name in the first certificate of a text, with which the other end listens: each end gets the certificate of the
 * other one. @throws Error if the certificate has no common name, or one that is not a host name
 */
function commonName(pem: string): string {
  const { subject } = new X509Certificate(pem);
  const name = /^CN=(.+)$/m.exec(subject ?? "")?.[1] ?? "";
  if (/^[A-Za-z0-9]([-A-Za-z0-9._]*[A-Za-z0-9])?$/.test(name)) return name;
  throw new Error(`The other end's certificate has no host name as its common name: '${subject}'`);
}

const texts = [
  ...["key", "cert", "ca", "host", "port", "bind", "compress", "magic", "expected-size"],
  ...["cmd-prefix", "cmd-suffix", "connect-retries", "connect-timeout"],
] as const;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      ...(Object.fromEntries(texts.map((name) => [name, { type: "string" }])) as Record<
        (typeof texts)[number],
        { type: "string" }
      >),
      ipv4: { type: "boolean" },
      ipv6: { type: "boolean" },
      debug: { type: "boolean", short: "d" },
      verbose: { type: "boolean", short: "v" },
    },
  });
  const [statusFile, mode] = positionals;
  if (statusFile === undefined || (mode !== "import" && mode !== "export")) {
    throw new Error("Usage: import-export STATUS-FILE import|export [OPTION]…");
  }
  const { key = "", cert = "", ca = "", compress = "gzip" } = values;
  const expected = values["expected-size"];
  if (compress !== "none") {
    const tool = compressionTool(compress);
    const { status } = spawnSync(tool, ["-h"], { timeout: 2_000, stdio: "ignore" });
    if (status !== 0) throw new Error(`The compression tool '${tool}' cannot be run`);
  }
  const transfer = new Transfer({
    ...{ statusFile, mode, key, cert, ca, compress },
    peerName: mode === "export" ? commonName(readFileSync(ca, "utf8")) : undefined,
    ...{ host: values.host, bind: values.bind, magic: values.magic },
    port: values.port === undefined ? undefined : Number(values.port),
    family: values.ipv6 === true ? 6 : 4,
    connectRetries: Number(values["connect-retries"] ?? 10),
    connectTimeoutSeconds: Number(values["connect-timeout"] ?? 60),
    prefix: values["cmd-prefix"] ?? "",
    suffix: values["cmd-suffix"] ?? "",
    expected: expected === undefined || expected === "fd" ? expected : Number(expected),
  });
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => transfer.stop(signal));
  }
  return transfer.end();
}

process.umask(0o077);
try {
  process.exitCode = await main();
} catch (error) {
  note(`import-export: ${(error as Error).message}`);
  process.exitCode = 1;
}

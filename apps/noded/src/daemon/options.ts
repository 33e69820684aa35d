/** Command line of the node daemon. */
import { hostname } from "node:os";
import { type OptionForm, optparseText, readWords } from "@ganeti-ts/command-line";

export interface Options {
  /** Undefined: all addresses of the family that the cluster's nodes have. */
  readonly address: string | undefined;
  readonly port: number;
  readonly root: string;
  /** The root was given by the environment, as on nodes of Ganeti's virtual clusters. */
  readonly isVirtual: boolean;
  readonly nodeName: string;
  readonly isDebug: boolean;
  /** Null: no monitoring. */
  readonly monitoringPort: number | null;
  /** UDP port for configuration queries; 0: none are answered. */
  readonly confdPort: number;
}

export const usage = `Usage: ganeti-ts-noded [OPTION]…

Carries out the node calls of a Ganeti cluster on this machine. Stays in the foreground.

  -b ADDRESS          address to listen on (0.0.0.0; :: if the nodes of the cluster have IPv6 addresses)
  -p PORT             port to listen on (1811)
  --node-name=NAME    name of this node in the cluster ($GANETI_HOSTNAME, else the host name)
  --root=DIRECTORY    put in front of all paths: for tests; without it, $GANETI_ROOTDIR makes this a node of
                      one of Ganeti's virtual clusters, whose paths have a prefix on the wire
  -f, --foreground    accepted for unit files; the daemon never leaves the foreground
  --monitoring-port=PORT  answer CPU load and storage health over HTTP, without authentication (off; Ganeti's port is 1815)
  --confd-port=PORT   UDP port to answer configuration queries (confd) on while the node is a master candidate, at the
                      address of -b, else at its primary address (1814; 0: none are answered)
  --no-mlock          accepted for unit files; memory is never locked
  -d, --debug         log each program that is run
  -h, --help; --version

Examples:

  ganeti-ts-noded
      serves the cluster whose certificates lie in /var/lib/ganeti
  ganeti-ts-noded -b 192.0.2.11 --debug
      listens on one address only, and logs each program
`;

export class UsageError extends Error {
  override readonly name = "UsageError";
}

const forms = [
  { option: "address", short: "b", long: ["bind"], argument: "required" },
  { option: "port", short: "p", long: ["port"], argument: "required" },
  { option: "node-name", short: undefined, long: ["node-name"], argument: "required" },
  { option: "root", short: undefined, long: ["root"], argument: "required" },
  { option: "foreground", short: "f", long: ["foreground"], argument: "none" },
  { option: "monitoring", short: undefined, long: ["monitoring-port"], argument: "required" },
  { option: "confd", short: undefined, long: ["confd-port"], argument: "required" },
  { option: "mlock", short: undefined, long: ["mlock"], argument: "none" },
  { option: "no-mlock", short: undefined, long: ["no-mlock"], argument: "none" },
  { option: "debug", short: "d", long: ["debug"], argument: "none" },
  { option: "help", short: "h", long: ["help"], argument: "none" },
  { option: "version", short: undefined, long: ["version"], argument: "none" },
] as const satisfies readonly OptionForm<string>[];

type Given = Partial<Record<(typeof forms)[number]["option"], string | true>>;

/** @throws UsageError */
export function readOptions(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): Options | "help" | "version" {
  const { occurrences, operands, faults } = readWords(args, forms);
  const [fault] = faults;
  if (fault !== undefined) throw new UsageError(optparseText(fault));
  if (operands.length > 0) throw new UsageError(`unexpected argument '${operands[0]}'`);
  const given: Given = Object.fromEntries(
    occurrences.map(({ option, text = true }) => [option, text]),
  );
  if (given.help) return "help";
  if (given.version) return "version";
  if (given.mlock) {
    throw new UsageError("--mlock needs an add-on that locks memory, and this package has none");
  }
  const text = (name: keyof Given, byDefault: string): string =>
    typeof given[name] === "string" ? given[name] : byDefault;
  return {
    address: typeof given.address === "string" ? given.address : undefined,
    port: portOf("-p", text("port", "1811")),
    root: text("root", environment.GANETI_ROOTDIR ?? ""),
    isVirtual: given.root === undefined && (environment.GANETI_ROOTDIR ?? "") !== "",
    nodeName: text("node-name", environment.GANETI_HOSTNAME ?? hostname()),
    isDebug: given.debug !== undefined,
    monitoringPort:
      given.monitoring === undefined ? null : portOf("--monitoring-port", text("monitoring", "")),
    confdPort: portOf("--confd-port", text("confd", "1814")),
  };
}

function portOf(option: string, text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new UsageError(`${option}: '${text}' is not a port from 0 to 65535`);
}

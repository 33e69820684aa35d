/** Command-line options of the server. */
import { networkInterfaces } from "node:os";
import { confdPort } from "@ganeti-ts/confd";
import { allocatorSearchPath } from "@ganeti-ts/node-calls";
import { noProxies, type TrustedProxies, trustedProxies } from "../http/remote.js";
import { modeOf } from "./mode.js";
import { type Given, given, UsageError, whole } from "./option-words.js";

/** The mode of the program, and the options that several modes have. */
export type Options = Readonly<ReturnType<typeof optionsOf>>;

const initWords = ["init-with", "init-only", "over-nodes"] as const;

/** @throws UsageError */
export function readOptions(args: readonly string[]): Options | "help" | "version" {
  const values = given(args);
  if (values.help) return "help";
  if (values.version) return "version";
  return optionsOf(values);
}

function optionsOf(values: Given) {
  const clientsMax = whole("--max-clients", values["max-clients"], { usual: 20, min: 0 });
  if (clientsMax < 1) throw new UsageError("--max-clients argument must be >= 1");
  checkTogether(values);
  const nodes = chosenNodes(values);
  return {
    port: whole("-p", values.port, { usual: 5080, min: 0, max: 65_535 }),
    address: values.address ?? addressOf(values.interface),
    clientsMax,
    ssl: !values["no-ssl"],
    keyFile: values["ssl-key"],
    certificateFile: values["ssl-cert"],
    chainFile: values["ssl-chain"],
    requireAuthentication: values["require-authentication"] ?? false,
    /** Whether anonymous clients may read, also on clusters made here. */
    anonymousReads: values["anonymous-reads"] ?? false,
    publicMetrics: values["public-metrics"] ?? false,
    /** Proxies whose reports of client addresses are trusted. */
    proxies: proxiesOf(values["trusted-proxy"]),
    debug: values.debug ?? false,
    dataPath: values["data-dir"],
    /** `postgres://…`; if absent, a file in the data directory. */
    store: values.store,
    /** Whether the server starts on a database that lacks commits acknowledged to it. */
    acceptsLoss: values["accept-loss"] ?? false,
    /** Time after which a silent server of that store counts as dead. */
    leaseMs: whole("--lease", values.lease, { usual: 30, min: 1, max: 3600 }) * 1000,
    mode: modeOf(values, nodes),
    /** Search path for allocator programs, in order. */
    allocatorPath:
      values["iallocator-search-path"]?.split(",").filter((one) => one !== "") ??
      allocatorSearchPath,
    /** Socket of the local protocol; if absent, the one in the data directory. */
    luxiPath: values.luxi,
    /** Name or number of the group whose members may use the local protocol. */
    luxiGroup: values["luxi-group"],
    /** Address for configuration queries; undefined: they are not answered. */
    confd: confdOf(values),
    /** Time between two rounds of the watcher; undefined: no watcher runs. */
    watcherMs:
      values.watcher === "off"
        ? undefined
        : whole("--watcher", values.watcher, { usual: 300, min: 10, max: 86_400 }) * 1000,
    /** Maximum age of node figures that placements use; 0: all nodes are queried for each placement. */
    figuresAgeMs:
      whole("--figures-age", values["figures-age"], { usual: 30, min: 0, max: 3600 }) * 1000,
    /** Key file of configuration queries; if absent, the one in the data directory. */
    confdKeyFile: values["confd-key"],
    /** Simulated nodes, or node daemons of Ganeti. */
    nodes,
    /** Data folder, root folder and name of the node of Ganeti that the server runs on. */
    ganetiData: values["ganeti-data"],
    ganetiRoot: values["ganeti-root"],
    ganetiHost: values["ganeti-host"],
    /** Whether the server starts without a vote of the nodes. */
    noVoting: values["no-voting"] ?? false,
    /** Whether submissions wait until the master candidates have the job. */
    waitForCopies: waitsForCopies(values.replicate),
    /** Names of the options that were given. */
    given: new Set(Object.keys(values)),
  };
}

/** @throws UsageError */
function proxiesOf(given: string | undefined): TrustedProxies {
  if (given === undefined) return noProxies;
  try {
    return trustedProxies(given);
  } catch (error) {
    throw new UsageError(`--trusted-proxy: ${(error as Error).message}`, { cause: error });
  }
}

/** @throws UsageError */
function waitsForCopies(given: string | undefined): boolean {
  if (given === undefined || given === "wait") return given === "wait";
  throw new UsageError(`--replicate: '${given}' is not 'wait'`);
}

/** @throws UsageError for options that exclude or need each other */
function checkTogether(values: Given): void {
  if (values["require-authentication"] && values["anonymous-reads"]) {
    throw new UsageError("--require-authentication and --anonymous-reads exclude each other");
  }
  if (values["ssl-key"] === undefined && values["ssl-cert"] !== undefined) {
    throw new UsageError("-C needs -K: a certificate is of no use without its key");
  }
  if (values.address !== undefined && values.interface !== undefined) {
    throw new UsageError("-b and -i exclude each other");
  }
  const isOverTwin = values.twin !== undefined && values["init-with"] === undefined;
  if (
    values.init === undefined &&
    !isOverTwin &&
    initWords.some((one) => values[one] !== undefined)
  ) {
    throw new UsageError("--init-with, --init-only and --over-nodes need --init");
  }
  if (values.init !== undefined && !/^[a-z0-9]([\w.-]*[a-z0-9])?$/i.test(values.init)) {
    throw new UsageError(`--init: '${values.init}' is not a valid host name`);
  }
  if (values.store !== undefined && (values.backup ?? values.restore) !== undefined) {
    throw new UsageError(
      "--backup and --restore are for the files of a data directory; for PostgreSQL use pg_dump and pg_restore",
    );
  }
  if (values["accept-loss"] && values.store === undefined) {
    throw new UsageError("--accept-loss needs --store");
  }
  if (values.backup !== undefined && values.restore !== undefined) {
    throw new UsageError("--backup and --restore exclude each other");
  }
  if (values.store !== undefined && !/^postgres(ql)?:\/\//.test(values.store)) {
    throw new UsageError("--store begins with postgres://; without it, files are used");
  }
}

/** @throws UsageError for options that do not go with these nodes */
function chosenNodes(values: Given): "simulated" | "ganeti" {
  const nodes =
    values.nodes === "ganeti" || values.adopt || values["take-over"] ? "ganeti" : "simulated";
  if (nodes === "ganeti" && values.init !== undefined && !values["init-only"]) {
    throw new UsageError("--init with --nodes=ganeti needs --init-only");
  }
  const isAdopted = values.adopt ?? values["take-over"] ?? false;
  if (nodes === "ganeti" && !isAdopted && values.store !== undefined) {
    throw new UsageError("--nodes=ganeti is for one server with its own files: not with --store");
  }
  const ofGaneti = ["ganeti-data", "ganeti-root", "ganeti-host"] as const;
  const isSimulated = nodes === "simulated" && (values.shadow ?? values.restore) === undefined;
  const idle = ofGaneti.find((name) => isSimulated && values[name] !== undefined);
  if (idle !== undefined) throw new UsageError(`--${idle} needs --nodes=ganeti`);
  return nodes;
}

function confdOf(values: Given): { address: string; port: number } | undefined {
  const port = whole("--confd-port", values["confd-port"], {
    usual: confdPort,
    min: 0,
    max: 65_535,
  });
  if (values.confd) {
    const address = values["confd-address"] ?? values.address ?? addressOf(values.interface);
    return { address, port };
  }
  if (values["confd-port"] === undefined && values["confd-address"] === undefined) return undefined;
  throw new UsageError("--confd-port and --confd-address need --confd");
}

function addressOf(name: string | undefined): string {
  if (name === undefined) return "127.0.0.1";
  const addresses = networkInterfaces()[name];
  const [first] = addresses?.filter(({ family }) => family === "IPv4") ?? addresses ?? [];
  if (first === undefined) throw new UsageError(`there is no interface ${name} with an address`);
  return first.address;
}

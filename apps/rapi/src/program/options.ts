/** Command-line options of the server. */
import { networkInterfaces } from "node:os";
import { confdPort } from "@ganeti-ts/confd";
import { allocatorSearchPath } from "@ganeti-ts/node-calls";
import { noProxies, type TrustedProxies, trustedProxies } from "../http/remote.js";
import { type Given, given, UsageError } from "./option-words.js";

export interface Options {
  readonly port: number;
  readonly address: string;
  readonly clientsMax: number;
  readonly ssl: boolean;
  readonly keyFile: string | undefined;
  readonly certificateFile: string | undefined;
  readonly chainFile: string | undefined;
  readonly requireAuthentication: boolean;
  /** Anonymous clients may read, also on clusters made here. */
  readonly anonymousReads: boolean;
  readonly publicMetrics: boolean;
  /** Proxies that tell the addresses of their clients. */
  readonly proxies: TrustedProxies;
  readonly debug: boolean;
  readonly dataPath: string | undefined;
  /** `postgres://…`; absent is a file in the data directory. */
  readonly store: string | undefined;
  /** Starts on that database even if it lacks commits that were acknowledged to this server. */
  readonly acceptsLoss: boolean;
  /** Time after which a silent server of that store counts as dead. */
  readonly leaseMs: number;
  /** Name of the cluster to create if there is none yet. */
  readonly init: string | undefined;
  /** Settings of that cluster: a file with JSON, or `-`. */
  readonly initWith: string | undefined;
  /** Machine to prepare for joining the cluster, or to release after it has left. */
  readonly prepareNode: string | undefined;
  readonly releaseNode: string | undefined;
  /** This machine ends its daemon and forgets its cluster, which has been destroyed. */
  readonly leavesCluster: boolean;
  /** Address of the machine to prepare; whether an unknown host key is accepted, and whether it was a node before. */
  readonly primaryIp: string | undefined;
  readonly trustsHostKey: boolean;
  readonly readd: boolean;
  /** Creates the cluster without serving it. */
  readonly initOnly: boolean;
  /** Creates the cluster even if its nodes hold disks of another one. */
  readonly overNodes: boolean;
  /** Looks at a running cluster only. */
  readonly shadow: ShadowOptions | undefined;
  /** The cluster to create is a twin of this one: a file or URL. */
  readonly twin: TwinOptions | undefined;
  /** Search path for allocator programs, in order. */
  readonly allocatorPath: readonly string[];
  /** Writes a backup to this file without serving. */
  readonly backup: string | undefined;
  /** Restores this backup without serving. */
  readonly restore: string | undefined;
  /** The socket of the local protocol; absent is the one in the data directory. */
  readonly luxiPath: string | undefined;
  /** Group whose members may use it: a name or a number. */
  readonly luxiGroup: string | undefined;
  /** Where configuration queries are answered; undefined: nowhere. */
  readonly confd: { readonly address: string; readonly port: number } | undefined;
  /** File of their key; absent is one in the data directory. */
  readonly confdKeyFile: string | undefined;
  /** Time between two rounds of the watcher; undefined: there is none. */
  readonly watcherMs: number | undefined;
  /** Maximum age of node figures that placements use; 0: all nodes are queried for each placement. */
  readonly figuresAgeMs: number;
  /** Simulated nodes, or node daemons of Ganeti. */
  readonly nodes: "simulated" | "ganeti";
  /** Number of simulated nodes and groups of a new cluster. */
  readonly nodeCount: number;
  readonly groupCount: number;
  /** Data folder, root folder and name of the node of Ganeti that the server runs on. */
  readonly ganetiData: string | undefined;
  readonly ganetiRoot: string | undefined;
  readonly ganetiHost: string | undefined;
  /** Takes over the Ganeti cluster of this machine first. */
  readonly adopt: boolean;
  /** Makes this master candidate the master of an adopted cluster first. */
  readonly takeOver: boolean;
  /** Accepts configurations of Ganeti 2.x there. */
  readonly upgrade: boolean;
  /** Gives the cluster back to Ganeti's own daemons without serving it. */
  readonly handBack: boolean;
  /** Gives it back even if parts are lost. */
  readonly drop: boolean;
  /** Leaves the queue drained when it is given back. */
  readonly stayDrained: boolean;
  /** Reports what `adopt` or `handBack` would find, and changes nothing. */
  readonly check: boolean;
  /** Starts without asking the nodes whom they take for the master. */
  readonly noVoting: boolean;
  /** Submissions wait until the master candidates have the job. */
  readonly waitForCopies: boolean;
  /** Prints a unit for systemd that starts a server with these options. */
  readonly printUnit: boolean;
  /** Options that were given by name. */
  readonly given: ReadonlySet<string>;
}

/** How a shadow compares. */
export interface ShadowOptions {
  /** URL of the original's remote API. */
  readonly original: string;
  /** Compares once and ends, without serving. */
  readonly once: boolean;
  /** Reports as lines of JSON. */
  readonly json: boolean;
  /** Time between two comparisons, if nothing changes. */
  readonly intervalMs: number;
  /** The certificate of the URL is not verified. */
  readonly insecure: boolean;
}

/** Source of a twin, and of its figures. */
export interface TwinOptions {
  readonly source: string;
  readonly figures: string | undefined;
  /** Certificates of a URL are not verified. */
  readonly insecure: boolean;
}

const initWords = ["init-with", "init-only", "over-nodes"] as const;

/** @throws UsageError */
export function readOptions(args: readonly string[]): Options | "help" | "version" {
  const values = given(args);
  if (values.help) return "help";
  if (values.version) return "version";
  const clientsMax = whole("--max-clients", values["max-clients"], 20, 0);
  if (clientsMax < 1) throw new UsageError("--max-clients argument must be >= 1");
  if (values["require-authentication"] && values["anonymous-reads"]) {
    throw new UsageError("--require-authentication and --anonymous-reads exclude each other");
  }
  checkTogether(values);
  const nodes = chosenNodes(values);
  return {
    port: whole("-p", values.port, 5080, 0, 65_535),
    address: values.address ?? addressOf(values.interface),
    clientsMax,
    ssl: !values["no-ssl"],
    keyFile: values["ssl-key"],
    certificateFile: values["ssl-cert"],
    chainFile: values["ssl-chain"],
    requireAuthentication: values["require-authentication"] ?? false,
    anonymousReads: values["anonymous-reads"] ?? false,
    publicMetrics: values["public-metrics"] ?? false,
    proxies: proxiesOf(values["trusted-proxy"]),
    debug: values.debug ?? false,
    dataPath: values["data-dir"],
    store: values.store,
    acceptsLoss: values["accept-loss"] ?? false,
    leaseMs: whole("--lease", values.lease, 30, 1, 3600) * 1000,
    init: values.init,
    initWith: values["init-with"],
    initOnly: values["init-only"] ?? false,
    ...machineWords(values),
    overNodes: values["over-nodes"] ?? false,
    shadow: shadowOf(values),
    twin: twinOf(values),
    allocatorPath:
      values["iallocator-search-path"]?.split(",").filter((one) => one !== "") ??
      allocatorSearchPath,
    backup: values.backup,
    restore: values.restore,
    luxiPath: values.luxi,
    luxiGroup: values["luxi-group"],
    confd: confdOf(values),
    watcherMs: values.watcher === "off" ? undefined : watcherSeconds(values.watcher) * 1000,
    figuresAgeMs: whole("--figures-age", values["figures-age"], 30, 0, 3600) * 1000,
    confdKeyFile: values["confd-key"],
    nodes,
    nodeCount: nodes === "ganeti" ? 0 : whole("--nodes", values.nodes, 4, 1, 1000),
    groupCount: whole("--groups", values.groups, 2, 1, 100),
    ganetiData: values["ganeti-data"],
    ganetiRoot: values["ganeti-root"],
    ganetiHost: values["ganeti-host"],
    ...adoptionOf(values),
    printUnit: values["print-unit"] ?? false,
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
function adoptionOf(values: Given) {
  const handBack = values["hand-back"] ?? false;
  const adopt = values.adopt ?? false;
  const takeOver = values["take-over"] ?? false;
  if (takeOver && (adopt || handBack || values.init !== undefined)) {
    throw new UsageError("--take-over goes with none of --adopt, --hand-back and --init");
  }
  if (adopt && (handBack || values.init !== undefined)) {
    throw new UsageError("--adopt goes with none of --hand-back and --init");
  }
  const needs = (option: "check" | "upgrade" | "drop" | "stay-drained", isGiven: boolean) => {
    if (values[option] && !isGiven) {
      const wanted =
        option === "check"
          ? "--adopt or --hand-back"
          : option === "upgrade"
            ? "--adopt"
            : "--hand-back";
      throw new UsageError(`--${option} needs ${wanted}`);
    }
    return values[option] ?? false;
  };
  if (values.replicate !== undefined && values.replicate !== "wait") {
    throw new UsageError(`--replicate: '${values.replicate}' is not 'wait'`);
  }
  return {
    ...{ adopt, takeOver, handBack },
    check: needs("check", adopt || handBack),
    upgrade: needs("upgrade", adopt),
    drop: needs("drop", handBack),
    stayDrained: needs("stay-drained", handBack),
    noVoting: values["no-voting"] ?? false,
    waitForCopies: values.replicate === "wait",
  };
}

/** @throws UsageError for options that exclude or need each other */
function checkTogether(values: Given): void {
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

/** @throws UsageError */
function shadowOf(values: Given): ShadowOptions | undefined {
  const { shadow: original, "shadow-once": once = false, "shadow-json": json = false } = values;
  const { "shadow-interval": interval, insecure = false } = values;
  if (original === undefined) {
    if (!once && !json && interval === undefined) return undefined;
    throw new UsageError("--shadow-once, --shadow-json and --shadow-interval need --shadow");
  }
  const other = (["init", "twin", "store", "nodes", "backup", "restore"] as const).find(
    (name) => values[name] !== undefined,
  );
  if (other !== undefined) throw new UsageError(`--shadow and --${other} exclude each other`);
  const intervalMs = whole("--shadow-interval", interval, 30, 1, 86_400) * 1000;
  return { original, once, json, intervalMs, insecure };
}

/** @throws UsageError */
function twinOf(values: Given): TwinOptions | undefined {
  const { twin: source, "twin-figures": figures, insecure = false } = values;
  if (source === undefined) {
    if (figures === undefined && (!insecure || values.shadow !== undefined)) return undefined;
    throw new UsageError("--twin-figures and --insecure need --twin");
  }
  const other = (["init", "store", "nodes", "backup", "restore"] as const).find(
    (name) => values[name] !== undefined,
  );
  if (other !== undefined) throw new UsageError(`--twin and --${other} exclude each other`);
  return { source, figures, insecure };
}

/** Options about one machine that is to become a node, or was one. */
const machineWords = (values: Given) => ({
  prepareNode: values["prepare-node"],
  releaseNode: values["release-node"],
  leavesCluster: values["leave-cluster"] ?? false,
  primaryIp: values["primary-ip"],
  trustsHostKey: values["accept-host-key"] ?? false,
  readd: values.readd ?? false,
});

/** @throws UsageError for options that do not go with these nodes */
function chosenNodes(values: Given): Options["nodes"] {
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

function confdOf(values: Given): Options["confd"] {
  const port = whole("--confd-port", values["confd-port"], confdPort, 0, 65_535);
  if (values.confd) {
    const address = values["confd-address"] ?? values.address ?? addressOf(values.interface);
    return { address, port };
  }
  if (values["confd-port"] === undefined && values["confd-address"] === undefined) return undefined;
  throw new UsageError("--confd-port and --confd-address need --confd");
}

const watcherSeconds = (given: string | undefined): number =>
  whole("--watcher", given, 300, 10, 86_400);

function whole(
  name: string,
  given: string | undefined,
  byDefault: number,
  min: number,
  max = Number.MAX_SAFE_INTEGER,
): number {
  if (given === undefined) return byDefault;
  const value = Number(given);
  if (/^-?\d+$/.test(given) && value >= min && value <= max) return value;
  throw new UsageError(`${name}: '${given}' is no number from ${min} to ${max}`);
}

function addressOf(name: string | undefined): string {
  if (name === undefined) return "127.0.0.1";
  const addresses = networkInterfaces()[name];
  const [first] = addresses?.filter(({ family }) => family === "IPv4") ?? addresses ?? [];
  if (first === undefined) throw new UsageError(`there is no interface ${name} with an address`);
  return first.address;
}

/** Whether the options ask for such a change. */
export const changesMachine = (options: Options): boolean =>
  options.prepareNode !== undefined || options.releaseNode !== undefined || options.leavesCluster;

/** Command-line options of the server. */
import { networkInterfaces } from "node:os";
import { type OptionForm, optparseText, readWords } from "@ganeti-ts/command-line";
import { confdPort } from "@ganeti-ts/confd";
import { allocatorSearchPath } from "@ganeti-ts/node-calls";

export interface Options {
  readonly port: number;
  readonly address: string;
  readonly clientsMax: number;
  readonly ssl: boolean;
  readonly keyFile: string | undefined;
  readonly certificateFile: string | undefined;
  readonly chainFile: string | undefined;
  readonly requireAuthentication: boolean;
  readonly publicMetrics: boolean;
  readonly debug: boolean;
  readonly dataPath: string | undefined;
  /** `postgres://…`; absent is a file in the data directory. */
  readonly store: string | undefined;
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
  /** Of that machine: address, whether an unknown host key is accepted, whether it was a node before. */
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

export const usage = `Usage: ganeti-rapi [OPTION]…

Serves the remote API of a cluster and runs its jobs. Stays in the foreground.

  -b ADDRESS                 address to listen on (127.0.0.1)
  -i INTERFACE               network interface whose address to listen on
  -p PORT                    port to listen on (5080)
  --max-clients=N            maximum number of requests worked on at a time (20), half of them for one user
                             or address; the local socket has as many of its own
  --no-ssl                   serve HTTP instead of HTTPS
  -K, --ssl-key=FILE         key of the server (default: rapi.pem in the data directory)
  -C, --ssl-cert=FILE        certificate for that key
  --ssl-chain=FILE           chain of certificates that signed it
  --require-authentication   require a user for every request
  --public-metrics           serve /metrics without authentication
  --data-dir=DIRECTORY       data directory ($GANETI_TS_DATA, else /var/lib/ganeti-ts for root)
  --store=postgres://…       store jobs and configuration in PostgreSQL, which several servers can share
  --luxi=PATH                socket of the local protocol, for Ganeti's own programs (default: in the data
                             directory, where they find it as in the example below)
  --luxi-group=GROUP         group whose members may use that socket, with all rights (default: only the owner)
  --lease=SECONDS            time after which a silent server counts as dead (30)
  --iallocator-search-path=DIRECTORY[,DIRECTORY…]
                             search path for allocator programs (${allocatorSearchPath}); hail is built in
  --confd                    answer Ganeti's configuration queries over UDP
  --confd-port=PORT          port of configuration queries (1814)
  --confd-address=ADDRESS    address of configuration queries (that of -b)
  --confd-key=FILE           file with their key (hmac.key in the data directory)
  --watcher=SECONDS|off      interval of the watcher, which restarts instances that went down (300); off
                             where ganeti-watcher does it
  --figures-age=SECONDS      placements use figures of nodes up to this old (30), which are refreshed in the
                             background; 0 queries all nodes for each placement, as Ganeti does
  --init=NAME                create a cluster of this name with simulated nodes first, unless there is one
  --nodes=N, --groups=N      number of simulated nodes (4) and groups (2) of the new cluster
  --init-with=FILE           further settings of the new cluster, in JSON; - is standard input
  --init-only                create the cluster, which must not exist yet, and exit
  --over-nodes               create the cluster even if its nodes hold disks of another one
  --twin=FILE|URL            create a cluster of simulated nodes with the configuration and figures of another
                             one, and exit: from its config.data, a text file of hbal -S, or its remote API
                             (user, password and certificate: $GANETI_RAPI_USER, _PASSWORD, _CA)
  --twin-figures=FILE|URL    figures for a config.data, which has none: a text file, or a remote API
  --shadow=URL               only look at the running cluster with this remote API, on its master beside Ganeti's
                             daemons: serve its config.data and queue, and report answers that differ
  --shadow-once              compare once, and exit with 1 if answers differ; nothing is served
  --shadow-json              report as lines of JSON
  --shadow-interval=SECONDS  time between comparisons if nothing changes (30)
  --insecure                 do not verify the certificate of these URLs
  --backup=FILE              write a backup of the cluster, even while another process serves it, and exit
  --restore=FILE             restore the cluster from a backup, and exit; the present database is set aside
  --nodes=ganeti             manage the nodes of a Ganeti cluster: run on its master in place of Ganeti's own
                             daemons, and call the node daemons; the first start copies config.data.
                             With --init-only: make this machine the master of a new cluster
  --prepare-node=NAME        give a machine the node daemon and the certificates of the cluster over ssh, and
                             exit; gnt-node add does it
  --primary-ip=ADDRESS, --accept-host-key, --readd
                             of that machine: its address, an unknown ssh key is accepted, it was a node before
  --release-node=NAME        take the ssh key of a former node back from the others, and exit; gnt-node remove
                             does it
  --leave-cluster            end the node daemon of this machine and remove the files of its cluster, and exit;
                             gnt-cluster destroy does it
  --ganeti-data=DIRECTORY    data directory of that node (/var/lib/ganeti)
  --ganeti-root=DIRECTORY    root directory of a node of a virtual cluster ($GANETI_ROOTDIR)
  --ganeti-host=NAME         name of that node ($GANETI_HOSTNAME, else the host name)
  -f, --foreground           no effect, because the server always stays in the foreground
  -d, --debug                log every request
  -h, --help; --version

Examples:

  ganeti-rapi --init=demo.example.com
      creates a cluster of four simulated nodes, and serves it on https://127.0.0.1:5080
  echo 'jack secret write' >> /var/lib/ganeti-ts/rapi/users
      adds a user with write access, effective at once; without write, jack may only read
  curl -k -u jack:secret https://127.0.0.1:5080/2/info
  curl --unix-socket /var/lib/ganeti-ts/rapi.sock http://localhost/2/nodes
      the same without a password, for the owner of the data directory
  ganeti-rapi -b 0.0.0.0 -K key.pem -C cert.pem --require-authentication
      serves on all addresses, with a certificate of your own
  export GANETI_HOSTNAME=node1.example.com GANETI_ROOTDIR=/var/lib/ganeti-ts/vroot/node1.example.com
      makes gnt-instance, hbal -L and the other programs of Debian's packages use this server;
      the name is that of the cluster's master node
  kill -HUP $(cat /var/lib/ganeti-ts/rapi.pid)
      reloads users, key and certificate; without rapi.pem a new one is made
  ganeti-rapi --confd --confd-address=0.0.0.0
      also answers queries for roles, addresses and locations of instances, signed with hmac.key
  ganeti-rapi --store=postgres://ganeti@db.example.com/ganeti
      runs one of several servers of a cluster, any of which may stop
`;

export class UsageError extends Error {
  override readonly name = "UsageError";
}

const initWords = ["init-with", "init-only", "over-nodes"] as const;

/** @throws UsageError */
export function readOptions(args: readonly string[]): Options | "help" | "version" {
  const values = given(args);
  if (values.help) return "help";
  if (values.version) return "version";
  const clientsMax = whole("--max-clients", values["max-clients"], 20, 0);
  if (clientsMax < 1) throw new UsageError("--max-clients argument must be >= 1");
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
    publicMetrics: values["public-metrics"] ?? false,
    debug: values.debug ?? false,
    dataPath: values["data-dir"],
    store: values.store,
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
  const nodes = values.nodes === "ganeti" ? "ganeti" : "simulated";
  if (nodes === "ganeti" && values.init !== undefined && !values["init-only"]) {
    throw new UsageError("--init with --nodes=ganeti needs --init-only");
  }
  if (nodes === "ganeti" && values.store !== undefined) {
    throw new UsageError("--nodes=ganeti is for one server with its own files: not with --store");
  }
  const ofGaneti = ["ganeti-data", "ganeti-root", "ganeti-host"] as const;
  const isSimulated = nodes === "simulated" && values.shadow === undefined;
  const idle = ofGaneti.find((name) => isSimulated && values[name] !== undefined);
  if (idle !== undefined) throw new UsageError(`--${idle} needs --nodes=ganeti`);
  return nodes;
}

const textOptions = {
  port: "p",
  address: "b",
  interface: "i",
  "max-clients": undefined,
  "ssl-key": "K",
  "ssl-cert": "C",
  "ssl-chain": undefined,
  "data-dir": undefined,
  store: undefined,
  lease: undefined,
  init: undefined,
  "init-with": undefined,
  backup: undefined,
  restore: undefined,
  twin: undefined,
  "twin-figures": undefined,
  shadow: undefined,
  "shadow-interval": undefined,
  "iallocator-search-path": undefined,
  nodes: undefined,
  groups: undefined,
  luxi: undefined,
  "luxi-group": undefined,
  "confd-port": undefined,
  "confd-address": undefined,
  "confd-key": undefined,
  watcher: undefined,
  "figures-age": undefined,
  "ganeti-data": undefined,
  "ganeti-root": undefined,
  "ganeti-host": undefined,
  "prepare-node": undefined,
  "release-node": undefined,
  "primary-ip": undefined,
} as const;

const flagOptions = {
  "no-ssl": undefined,
  "require-authentication": undefined,
  "public-metrics": undefined,
  "init-only": undefined,
  "accept-host-key": undefined,
  "leave-cluster": undefined,
  readd: undefined,
  "over-nodes": undefined,
  confd: undefined,
  insecure: undefined,
  "shadow-once": undefined,
  "shadow-json": undefined,
  foreground: "f",
  debug: "d",
  help: "h",
  version: undefined,
} as const;

type TextOption = keyof typeof textOptions;
type FlagOption = keyof typeof flagOptions;

const forms: readonly OptionForm<string>[] = [
  ...Object.entries(textOptions).map(([name, short]) => formOf(name, short, "required")),
  ...Object.entries(flagOptions).map(([name, short]) => formOf(name, short, "none")),
];

function formOf(
  name: string,
  short: string | undefined,
  argument: "required" | "none",
): OptionForm<string> {
  return { option: name, short, long: [name], argument };
}

type Given = { readonly [Name in TextOption]?: string } & { readonly [Name in FlagOption]?: true };

/** @throws UsageError */
function given(args: readonly string[]): Given {
  const { occurrences, operands, faults } = readWords(args, forms);
  const [fault] = faults;
  if (fault !== undefined) throw new UsageError(optparseText(fault));
  if (operands.length > 0) throw new UsageError(`unexpected argument '${operands[0]}'`);
  return Object.fromEntries(occurrences.map(({ option, text = true }) => [option, text]));
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

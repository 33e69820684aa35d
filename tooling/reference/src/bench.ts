// A bench: a whole Ganeti on virtual nodes, and what a test can do with it.
import type { ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCluster, type Site, startDaemons, startSsh } from "./cluster.js";
import { type DaemonName, masterDaemons, startDaemon, stopDaemon } from "./daemons.js";
import { openDoorway } from "./doorway.js";
import { writeFolder } from "./folder.js";
import { mustSucceed, type Outcome, type RunOptions, runInside, spawnInside } from "./inside.js";
import { type Keeper, processesOf, relaySocket, startKeeper, stopKeeper } from "./keeper.js";
import {
  clusterAddress,
  clusterName,
  nodesOf,
  type ReferenceNode,
  rapiPort,
  rapiUsers,
} from "./layout.js";
import { benchUnavailable, packageLayers } from "./packages.js";
import { populate } from "./populate.js";
import { type Recording, record } from "./recording.js";
import { type Release, releases } from "./release.js";
import {
  hasSnapshot,
  restoreSnapshot,
  type SnapshotKind,
  saveSnapshot,
  snapshotFolder,
} from "./snapshot.js";
import { callLuxi, callNode, connectThrough, type HttpAnswer, tlsRequest } from "./wires.js";

export interface BenchOptions {
  /** The release of Ganeti; 3.0 by default. */
  readonly version?: Release["name"];
  /** Number of nodes; 3 by default, which populating needs. */
  readonly nodeCount?: number;
  /** Whether the cluster gets instances, groups, networks, tags, filters and jobs; true by default. */
  readonly populated?: boolean;
  /** Whether there are stand-ins for LVM and DRBD, and the templates plain and drbd; false by default. */
  readonly storage?: boolean;
  /**
   * Whether the cluster is built from scratch instead of from the snapshot of an earlier start;
   * false by default.
   */
  readonly fresh?: boolean;
  /** Name of a bench that stays when this process ends, until `down`. Without it the bench ends with the process. */
  readonly name?: string;
  /** Receives the steps of the start. */
  readonly say?: (line: string) => void;
}

/** A running bench. Paths are those outside; inside they are valid as well. */
export interface ReferenceBench {
  readonly directory: string;
  readonly release: Release;
  readonly cluster: { readonly name: string; readonly address: string };
  readonly nodes: readonly [ReferenceNode, ...ReferenceNode[]];
  readonly master: ReferenceNode;
  /** `config.data` of the master. */
  readonly configFile: string;
  readonly luxiSocket: string;
  readonly rapi: {
    readonly address: string;
    readonly port: number;
    /** Key and certificate of the remote API's server. */
    readonly pem: string;
    readonly users: typeof rapiUsers;
  };
  /** Process whose namespaces are those of the bench, for `nsenter --target`. */
  readonly initPid: number;
  /** Ids of all processes in the bench. */
  processes(): readonly number[];

  /** Runs a program on a node to its end; throws if it fails. */
  exec(program: string, args?: readonly string[], options?: RunOptions): Promise<Outcome>;
  /** Like `exec`, but returns failures as outcomes too. */
  attempt(program: string, args?: readonly string[], options?: RunOptions): Promise<Outcome>;
  /** Runs Python that can import `ganeti`; gives what it printed. */
  python(code: string, options?: RunOptions): Promise<string>;
  /** Starts a program on a node; it ends when the process is ended, or with the bench. */
  spawn(
    program: string,
    args?: readonly string[],
    options?: Omit<RunOptions, "input">,
  ): ChildProcess;

  startDaemon(node: ReferenceNode, daemon: DaemonName): Promise<void>;
  stopDaemon(node: ReferenceNode, daemon: DaemonName): Promise<void>;
  /** Ends luxid, rapi and wconfd of the master: node daemons stay, for another master to drive. */
  stopMaster(): Promise<void>;
  /** Starts every daemon that does not run. */
  startAll(): Promise<void>;

  /** Connects to a TCP address inside the bench. */
  connect(address: string, port: number): Promise<Socket>;
  /** Serves a TCP address inside the bench from this process, until the returned function is called. */
  serve(
    address: string,
    port: number,
    connected: (socket: Socket) => void,
  ): Promise<() => Promise<void>>;
  /** Calls a node daemon with the master's certificate: `[succeeded, payload or text]`. */
  call(
    node: ReferenceNode,
    method: string,
    args: readonly unknown[],
  ): Promise<readonly [boolean, unknown]>;
  luxi(
    method: string,
    args: readonly unknown[],
  ): Promise<{ readonly success: boolean; readonly result: unknown }>;
  /** A request to the remote API as the user who may write; `body` is sent as JSON. */
  request(method: string, path: string, body?: unknown): Promise<HttpAnswer>;

  /** Runs `action`, and gives what went over the wires until they were quiet again. */
  record<T>(
    action: () => Promise<T>,
  ): Promise<{ readonly recording: Recording; readonly value: T }>;

  /** Lets no synchronisation of mirrors make progress until the returned function is called. */
  holdSynchronisation(): () => void;

  /** Ends all processes and removes the folder. */
  down(): Promise<void>;
}

const prefix = "ganeti-reference-";
const stateFile = "bench.json";

interface State extends Keeper, SnapshotKind {}

interface KeptBench extends ReferenceBench {
  readonly keeper: Keeper;
}

/** Brings up a bench, runs `use` and takes the bench down, whatever happens. */
export async function withReferenceCluster<T>(
  options: Omit<BenchOptions, "name">,
  use: (bench: ReferenceBench) => Promise<T>,
): Promise<T> {
  const bench = await bringUp(options);
  try {
    return await use(bench);
  } finally {
    await bench.down();
  }
}

/** Brings up a bench. Throws if the machine has not what it needs. */
export async function bringUp(options: BenchOptions = {}): Promise<ReferenceBench> {
  const { version = "3.0", nodeCount = 3, populated = true, storage = false } = options;
  const { say = () => {} } = options;
  const problem = benchUnavailable(version);
  if (problem !== undefined) throw new Error(problem);
  const kind: SnapshotKind = { version, nodeCount, populated, storage };
  const directory = makeDirectory(options.name);
  const owned = options.name === undefined;
  if (options.fresh) return await underway(directory, kind, owned, makeSite(kind, say));

  const snapshot = snapshotFolder(kind);
  if (!hasSnapshot(snapshot)) {
    const temporary = makeDirectory(undefined);
    const bench = await underway(temporary, kind, true, makeSite(kind, say));
    await bench.stopMaster();
    await stopKeeper(bench.keeper);
    saveSnapshot(temporary, snapshot);
    rmSync(temporary, { recursive: true });
  }
  return await underway(directory, kind, owned, {
    prepare: () => restoreSnapshot(snapshot, directory),
    start: async (site) => {
      say("starting the daemons");
      await startSsh(site);
      await startDaemons(site);
    },
  });
}

/** How the folder of a bench gets its files, and what is done once its namespaces exist. */
interface Making {
  readonly prepare: (nodes: Site["nodes"], directory: string) => void;
  readonly start: (site: Site) => Promise<void>;
}

function makeSite(kind: SnapshotKind, say: (line: string) => void): Making {
  const { version, populated, storage } = kind;
  return {
    prepare: (nodes, directory) => writeFolder(directory, nodes, storage, releases[version]),
    start: async (site) => {
      say("making the cluster");
      await makeCluster(site);
      if (!populated) return;
      say("populating it");
      await populate(site);
    },
  };
}

/** Makes a bench in an empty folder; nothing of it stays if that fails. */
async function underway(
  directory: string,
  kind: SnapshotKind,
  owned: boolean,
  making: Making,
): Promise<KeptBench> {
  const release = releases[kind.version];
  let keeper: Keeper | undefined;
  try {
    const nodes = nodesOf(directory, kind.nodeCount);
    making.prepare(nodes, directory);
    keeper = await startKeeper({
      directory,
      nodes,
      packages: packageLayers(release) ?? { layers: [], base: "/" },
      storage: kind.storage,
      owned,
    });
    const state: State = { ...kind, ...keeper };
    writeFileSync(join(directory, stateFile), JSON.stringify(state));
    const site = { directory, nodes, initPid: keeper.initPid, storage: kind.storage };
    await making.start(site);
    return benchOf(site, release, keeper);
  } catch (error) {
    if (keeper !== undefined) await stopKeeper(keeper);
    rmSync(directory, { recursive: true, force: true });
    throw error;
  }
}

function makeDirectory(name: string | undefined): string {
  if (name === undefined) return mkdtempSync(join(tmpdir(), prefix));
  const directory = join(tmpdir(), prefix + name);
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    throw new Error(`there is a bench ${name} already, or its remains: take it down first`, {
      cause: error,
    });
  }
  return directory;
}

/** The bench that was brought up with a name; `undefined` if there is none. */
export function findBench(name: string): ReferenceBench | undefined {
  const directory = join(tmpdir(), prefix + name);
  try {
    const state: State = JSON.parse(readFileSync(join(directory, stateFile), "utf8"));
    const nodes = nodesOf(directory, state.nodeCount);
    const { initPid, storage } = state;
    return benchOf({ directory, nodes, initPid, storage }, releases[state.version], state);
  } catch {
    return undefined;
  }
}

/** Takes down the named bench, and removes the remains of one that has ended by itself. */
export async function removeBench(name: string): Promise<void> {
  await findBench(name)?.down();
  rmSync(join(tmpdir(), prefix + name), { recursive: true, force: true });
}

/** Names of all benches of this machine that have not been taken down. */
export function benchNames(): readonly string[] {
  return readdirSync(tmpdir())
    .filter((entry) => entry.startsWith(prefix))
    .map((entry) => entry.slice(prefix.length));
}

function benchOf(site: Site, release: Release, keeper: Keeper): KeptBench {
  const { directory, nodes, initPid } = site;
  const [master] = nodes;
  const relay = relaySocket(directory);
  const luxiSocket = join(master.runFolder, "socket/ganeti-query");
  const attempt: ReferenceBench["attempt"] = (
    program,
    args = [],
    { node = master, ...rest } = {},
  ) => runInside(initPid, node, [program, ...args], rest);
  const exec: ReferenceBench["exec"] = async (program, args = [], options = {}) =>
    mustSucceed([program, ...args], await attempt(program, args, options));
  const spawn: ReferenceBench["spawn"] = (
    program,
    args = [],
    { node = master, environment = {} } = {},
  ) => spawnInside(initPid, node, [program, ...args], environment);
  const rapi = {
    address: master.address,
    port: rapiPort,
    pem: join(master.dataFolder, "rapi.pem"),
    users: rapiUsers,
  };
  return {
    keeper,
    directory,
    release,
    cluster: { name: clusterName, address: clusterAddress },
    nodes,
    master,
    configFile: join(master.dataFolder, "config.data"),
    luxiSocket,
    rapi,
    initPid,
    processes: () => processesOf(keeper),
    exec,
    attempt,
    python: async (code, options = {}) => {
      const library = `/usr/share/ganeti/${release.name}`;
      const environment = { ...options.environment, PYTHONPATH: library };
      return (await exec("/usr/bin/python3", ["-c", code], { ...options, environment })).stdout;
    },
    spawn,
    startDaemon: (node, daemon) => startDaemon(initPid, node, daemon),
    stopDaemon: (node, daemon) => stopDaemon(initPid, node, daemon),
    stopMaster: async () => {
      for (const daemon of masterDaemons.toReversed()) await stopDaemon(initPid, master, daemon);
    },
    startAll: () => startDaemons(site),
    connect: (address, port) => connectThrough(relay, address, port),
    serve: (address, port, connected) =>
      openDoorway({ directory, spawn }, address, port, connected),
    call: (node, method, args) => callNode(relay, master, node, method, args),
    luxi: (method, args) => callLuxi(luxiSocket, release.protocol, method, args),
    request: rapiRequests(relay, rapi),
    holdSynchronisation: () => {
      const file = join(directory, "devices/hold");
      writeFileSync(file, "");
      return () => rmSync(file);
    },
    record: (action) => record({ directory, initPid, master }, action),
    down: async () => {
      await stopKeeper(keeper);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Requests to the remote API of a bench as the user who may write. */
function rapiRequests(relay: string, rapi: ReferenceBench["rapi"]): ReferenceBench["request"] {
  const { name, password } = rapi.users.writer;
  return (method, path, body) => {
    const headers = body === undefined ? {} : { "Content-Type": "application/json" };
    const to = { address: rapi.address, port: rapi.port, ca: readFileSync(rapi.pem, "utf8") };
    const options = { method, path, headers, auth: `${name}:${password}` };
    return tlsRequest(relay, to, options, body === undefined ? undefined : JSON.stringify(body));
  };
}

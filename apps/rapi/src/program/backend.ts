/** All of a server but its sockets: the cluster on its stores and nodes, and what the API is made of. */

import { existsSync } from "node:fs";
import { allocatorPrograms, removeLeftMessages } from "@ganeti-ts/allocators/programs";
import { type Cluster, type ClusterPorts, openCluster } from "@ganeti-ts/cluster";
import { ganetiSite } from "@ganeti-ts/machines";
import { secureRandom, systemClock } from "@ganeti-ts/protocol";
import type { Durations } from "@ganeti-ts/simulated-nodes";
import {
  type Adopted,
  keepDown,
  letGoOfFormerMaster,
  localGanetiFiles,
  marksOfOwnCluster,
  NotMasterError,
  stampsIn,
  watchMaster,
} from "@ganeti-ts/takeover";
import { readTwinMark, twinNote } from "@ganeti-ts/twin";
import { accessParts } from "../auth/access-parts.js";
import { type UsersFile, usersFile } from "../auth/users-file.js";
import { type ConfdService, openConfd } from "../confd/confd.js";
import { ConsoleTokens } from "../console/tokens.js";
import { createGates } from "../http/gate.js";
import { JobTexts } from "../job-texts.js";
import { objectTexts, type PreparedTexts } from "../lists/object-texts.js";
import type { Log } from "../log.js";
import { createMetrics } from "../metrics.js";
import { turns } from "../slices.js";
import { installedUi } from "../ui/files.js";
import { sessionKey } from "../ui/session-key.js";
import type { World } from "../world.js";
import type { DataDirectory } from "./data-directory.js";
import { ganetiNodes, recordsOf } from "./ganeti/ganeti-nodes.js";
import { gateGauge } from "./gauges.js";
import { withNote } from "./noted-cluster.js";
import type { Options } from "./options.js";
import { withPauseFile } from "./pause-file.js";
import { settingsOf } from "./settings.js";
import { type ChosenNodes, simulation } from "./simulation.js";
import type { Stores } from "./stores.js";
import { rootOfMaster } from "./virtual-root.js";
import { watcherNotesIn } from "./watcher-notes.js";

export interface Backend {
  readonly world: World & { readonly texts: PreparedTexts };
  readonly cluster: Cluster;
  readonly users: UsersFile;
  readonly confd: ConfdService;
  /** Lets jobs finish for a minute, and gives up all but what `closeStores` does. */
  stopJobs(): Promise<void>;
  /** To be called after the last request. */
  closeStores(): Promise<void>;
}

/** Time (ms) for running jobs to finish. */
const jobGraceMs = 60_000;

export interface BackendParts {
  readonly directory: DataDirectory;
  /** Stores that contain a cluster. */
  readonly stores: Stores;
  readonly log: Log;
  /** How long things take on the simulated nodes. */
  readonly durations: Durations;
  /** Record of the files in Ganeti's formats; undefined for clusters without such files. */
  readonly adopted?: Adopted | undefined;
  /** Default true. */
  readonly runsJobs?: boolean;
}

function usersIn({ users: file }: DataDirectory, log: Log) {
  if (!existsSync(file)) {
    log.warn({ file }, "no users configured: only the local socket accepts changes");
  }
  return usersFile(file, (problem) => log.warn({ problem }, "problem in the users file"));
}

const programsFor = ({ allocatorPath }: Options, { allocatorMessages }: DataDirectory) =>
  allocatorPrograms({ searchPath: allocatorPath, folder: allocatorMessages });

/** Note that a cluster of its own kind shows with each answer: that it is a twin. */
function noteOf({ path }: DataDirectory): string | undefined {
  const mark = readTwinMark(path);
  return mark && twinNote(mark);
}

/** Resolves once the queue runs jobs. */
export async function openBackend(
  options: Options,
  { directory, stores, log, durations, adopted, runsJobs = true }: BackendParts,
): Promise<Backend> {
  // The directory is this process's own: programs of another one have ended with it.
  await removeLeftMessages(directory.allocatorMessages);
  const { chosen, distribution } = await nodesOf(options, {
    ...{ directory, stores, log, durations, adopted, runsJobs },
  });
  const { practice, consoles, ...nodePorts } = chosen;
  const confd = await openConfd(options.confdKeyFile ?? directory.confdKey);
  const opened = await openCluster({
    stores,
    log,
    ...{ clock: systemClock, random: secureRandom, turn: turns() },
    processId: process.pid,
    ...nodePorts,
    runsJobs,
    ...distribution,
    allocatorPrograms: programsFor(options, directory),
    ...(options.watcherMs !== undefined &&
      runsJobs && {
        watcher: { intervalMs: options.watcherMs, notes: watcherNotesIn(directory.path) },
      }),
    nodeFigures: { ageMaxMs: options.figuresAgeMs },
    architecture: [process.arch.includes("64") ? "64bits" : "32bits", machine()],
  });
  const note = noteOf(directory);
  const folder = rootOfMaster(directory.path, opened.snapshot()).data;
  const cluster = withNote(withPauseFile(opened, folder), note);
  const users = usersIn(directory, log);
  const { queue, objects, planner, events } = cluster;
  const metrics = createMetrics();
  const gates = createGates(options.clientsMax);
  for (const gauge of [gateGauge(gates), ...cluster.gauges]) metrics.gauge(gauge);
  return {
    world: {
      queue,
      objects,
      planner,
      events,
      ...accessParts({
        ...{ users, access: stores.access, clock: systemClock, log },
        key: sessionKey(directory.sessionKey),
      }),
      ui: installedUi(),
      clock: systemClock,
      log,
      metrics,
      gates,
      practice,
      consoles,
      consoleTokens: new ConsoleTokens(Date.now),
      texts: objectTexts(cluster),
      jobs: new JobTexts(queue),
      confd,
      note,
      settings: settingsOf(options, originOf(options, adopted)),
    },
    cluster,
    users,
    confd,
    stopJobs: () => cluster.stop({ graceMs: jobGraceMs }),
    async closeStores() {
      await cluster.close();
      await stores.closeOwn();
    },
  };
}

const originOf = ({ nodes }: Options, adopted: Adopted | undefined): "made here" | "Ganeti" =>
  nodes === "ganeti" && adopted?.state !== "made here" ? "Ganeti" : "made here";

interface NodesOfBackend {
  readonly chosen: ChosenNodes;
  readonly distribution: Pick<ClusterPorts, "distribution">;
}

/** The nodes that the options name. Those of adopted clusters, and of real machines, hold copies in Ganeti's formats. */
async function nodesOf(
  options: Options,
  { directory, stores, log, durations, adopted, runsJobs }: BackendParts,
): Promise<NodesOfBackend> {
  if (options.nodes !== "ganeti") {
    const isTwin = readTwinMark(directory.path) !== undefined;
    const chosen = simulation({ states: stores.nodeStates, durations, isTwin });
    return { chosen, distribution: {} };
  }
  const records = recordsOf(directory, stores);
  const site = ganetiSite(options, process.env);
  if (adopted === undefined) {
    return { chosen: ganetiNodes(site, records), distribution: {} };
  }
  const local = await localGanetiFiles(site, stampsIn(directory.ownStamps));
  const watch = watchMaster(site.host, systemClock);
  const foreignChange = async () => (await local.foreignChange()) ?? watch.foreignMaster();
  const files = { ...local, foreignChange };
  const elected = async () => {
    const foreign = await files.foreignChange();
    if (foreign !== undefined) throw new NotMasterError(foreign);
    if (runsJobs) await keepDown(site, log);
  };
  const lost = async () => {
    if (runsJobs && (await letGoOfFormerMaster(site))) {
      log.info({}, "Ganeti's daemons of this node are not kept down any more");
    }
  };
  const { queueIsComplete, state } = adopted;
  const marks = state === "made here" ? marksOfOwnCluster : undefined;
  return {
    chosen: ganetiNodes(site, records, {
      ...{ asksNodes: !options.noVoting, elected, lost, watch, log },
      clearsFormerNodes: state === "made here",
    }),
    distribution: {
      distribution: { files, queueIsComplete, waitForCopies: options.waitForCopies, marks },
    },
  };
}

/** As `uname -m` says it. */
const machine = (): string =>
  ({ x64: "x86_64", arm64: "aarch64", ia32: "i686" })[process.arch as string] ?? process.arch;

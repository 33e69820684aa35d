/** openBackend: a server without its sockets: the cluster on its stores and nodes, and the world of the API. */

import { existsSync } from "node:fs";
import { allocatorPrograms, removeLeftMessages } from "@ganeti-ts/allocators/programs";
import { type Cluster, openCluster } from "@ganeti-ts/cluster";
import { secureRandom, systemClock } from "@ganeti-ts/protocol";
import { type UsersFile, usersFile } from "../auth/users-file.js";
import type { PreparedTexts } from "../lists/object-texts.js";
import type { Log } from "../log.js";
import { turns } from "../slices.js";
import type { World } from "../world.js";
import { type ConfdService, openConfd } from "./confd.js";
import type { DataDirectory } from "./data-directory.js";
import { type NodesParts, nodesOf } from "./nodes-of.js";
import { withNote } from "./noted-cluster.js";
import type { Options } from "./options.js";
import { withPauseFile } from "./pause-file.js";
import { readTwinMark, twinNote } from "./twin-mark.js";
import { rootOfMaster } from "./virtual-root.js";
import { watcherNotesIn } from "./watcher-notes.js";
import { worldOf } from "./world-of.js";

export interface Backend {
  readonly world: World & { readonly texts: PreparedTexts };
  readonly cluster: Cluster;
  readonly users: UsersFile;
  readonly confd: ConfdService;
  /** Lets running jobs finish for up to a minute, and releases everything except the stores. */
  stopJobs(): Promise<void>;
  /** To be called after the last request. */
  closeStores(): Promise<void>;
}

/** Maximum time (ms) for running jobs to finish. */
const jobGraceMs = 60_000;

export interface BackendParts extends Omit<NodesParts, "runsJobs"> {
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

/** Note that a twin sends with each answer. */
function noteOf({ path }: DataDirectory): string | undefined {
  const mark = readTwinMark(path);
  return mark && twinNote(mark);
}

/** Resolves once the queue runs jobs. */
export async function openBackend(
  options: Options,
  { directory, stores, log, durations, adopted, runsJobs = true }: BackendParts,
): Promise<Backend> {
  // The directory belongs to this process alone: programs of an earlier one have ended with it.
  await removeLeftMessages(directory.allocatorMessages);
  const { chosen, ...distribution } = await nodesOf(options, {
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
  const world = worldOf(options, cluster, {
    ...{ users, access: stores.access, directory, log, practice, consoles, confd, note },
    origin: options.nodes === "ganeti" && adopted?.state !== "made here" ? "Ganeti" : "made here",
  });
  for (const gauge of cluster.gauges) world.metrics.gauge(gauge);
  return {
    world,
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

/** Machine type as printed by `uname -m`. */
const machine = (): string =>
  ({ x64: "x86_64", arm64: "aarch64", ia32: "i686" })[process.arch as string] ?? process.arch;

/** nodesOf: the nodes chosen by the options: simulated ones, or machines with node daemons. */
import type { ClusterPorts } from "@ganeti-ts/cluster";
import { leaseText } from "@ganeti-ts/job-queue";
import { ganetiSite } from "@ganeti-ts/machines";
import { systemClock } from "@ganeti-ts/protocol";
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
import type { Log } from "../log.js";
import type { DataDirectory } from "./data-directory.js";
import { ganetiNodes } from "./ganeti/ganeti-nodes.js";
import type { Options } from "./options.js";
import { type ChosenNodes, simulation } from "./simulation.js";
import type { Stores } from "./stores.js";
import { readTwinMark } from "./twin-mark.js";

export interface NodesParts {
  readonly directory: DataDirectory;
  /** Stores that contain a cluster. */
  readonly stores: Stores;
  readonly log: Log;
  /** How long things take on the simulated nodes. */
  readonly durations: Durations;
  /** Record of the files in Ganeti's formats; undefined for clusters without such files. */
  readonly adopted?: Adopted | undefined;
  readonly runsJobs: boolean;
}

/** Opens the nodes. Those of adopted clusters and of real machines hold copies in Ganeti's formats. */
export async function nodesOf(
  options: Options,
  { directory, stores, log, durations, adopted, runsJobs }: NodesParts,
): Promise<{ chosen: ChosenNodes } & Pick<ClusterPorts, "distribution">> {
  if (options.nodes !== "ganeti") {
    const isTwin = readTwinMark(directory.path) !== undefined;
    const chosen = simulation({ states: stores.nodeStates, durations, isTwin });
    return { chosen };
  }
  const { servers, jobs } = stores;
  const records = {
    callsFile: directory.callsInFlight,
    ...(servers && { shared: { servers, lease: leaseText(jobs.claim) } }),
  };
  const site = ganetiSite(options, process.env);
  if (adopted === undefined) return { chosen: ganetiNodes(site, records) };
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
    distribution: { files, queueIsComplete, waitForCopies: options.waitForCopies, marks },
  };
}

/** Creation of the cluster that the options describe, of simulated nodes or real machines. */
import { allocatorPrograms } from "@ganeti-ts/allocators/programs";
import { createCluster, NewClusterError } from "@ganeti-ts/cluster";
import { storedSerial } from "@ganeti-ts/config";
import { secureRandom, systemClock } from "@ganeti-ts/protocol";
import type { Log } from "../log.js";
import { openConfd } from "./confd.js";
import { type DataDirectory, dataPath, openDataDirectory } from "./data-directory.js";
import { checkNodesAreEmpty } from "./found-nodes.js";
import type { NewCluster } from "./mode.js";
import { readNewClusterFile } from "./new-cluster-file.js";
import type { Options } from "./options.js";
import { makeRealCluster } from "./real/modes.js";
import { newSimulatedCluster, simulation } from "./simulation.js";
import { StartError } from "./start-error.js";
import { type Stores, withStores } from "./stores.js";

/** Makes the cluster if the options ask for it. @throws StartError if there is no cluster afterwards */
export async function findCluster(
  stores: Stores,
  options: Options,
  { directory, log }: { readonly directory: DataDirectory; readonly log: Log },
): Promise<void> {
  const { mode } = options;
  if (mode.kind === "init") {
    const isNew = await makeCluster(stores, options, mode.cluster, directory);
    if (isNew) log.info({ name: mode.cluster.name }, "cluster created");
  } else if ((await storedSerial(stores.config)) === 0) {
    throw new StartError(`there is no cluster in ${directory.path}: --init=NAME makes one`);
  }
}

/** Makes the cluster that the options describe, without serving it. @throws NewClusterError if there is one */
export async function makeOnly(options: Options, wanted: NewCluster, log: Log): Promise<void> {
  const directory = openDataDirectory(dataPath(options.dataPath, process.env));
  return withStores(options, directory, async (stores) => {
    if (options.nodes === "ganeti") await makeRealCluster(stores, options, wanted, directory);
    else {
      if (!(await makeCluster(stores, options, wanted, directory))) {
        throw new NewClusterError("Cluster is already initialised");
      }
      await openConfd(options.confdKeyFile ?? directory.confdKey);
    }
    log.info({ name: wanted.name }, "cluster created");
  });
}

/** Makes a cluster unless there is one; returns whether it did. @throws NewClusterError, StartError */
async function makeCluster(
  stores: Stores,
  { allocatorPath: searchPath }: Options,
  { name, settingsFile, nodeCount, groupCount, overNodes }: NewCluster,
  { path }: DataDirectory,
): Promise<boolean> {
  if ((await storedSerial(stores.config)) > 0) return false;
  if (!overNodes) await checkNodesAreEmpty(stores.nodeStates, path);
  const settings = readNewClusterFile(settingsFile);
  return createCluster(newSimulatedCluster({ name, nodeCount, groupCount, settings }), {
    store: stores.config,
    clock: systemClock,
    random: secureRandom,
    allocatorPrograms: allocatorPrograms({ searchPath }),
    // These machines are never used, because equal ones are made when the cluster is first served.
    ...simulation(),
  });
}

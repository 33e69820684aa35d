/** makeTwinOnly: makes the twin that the options describe, without serving it. */

import { NewClusterError } from "@ganeti-ts/cluster";
import { storedSerial } from "@ganeti-ts/config";
import { secureRandom, systemClock } from "@ganeti-ts/protocol";
import { makeTwin, type OriginOptions, readOrigin, TwinError } from "@ganeti-ts/twin";
import type { Log } from "../log.js";
import { openConfd } from "./confd.js";
import { dataPath, openDataDirectory } from "./data-directory.js";
import { checkNodesAreEmpty } from "./found-nodes.js";
import type { Options } from "./options.js";
import { StartError } from "./start-error.js";
import { withStores } from "./stores.js";
import { readTwinMark, shownSource, writeTwinMark } from "./twin-mark.js";

/**
 * Resolves with remarks for the administrator.
 * @throws NewClusterError if there is a cluster; StartError for a source that cannot be read
 */
export async function makeTwinOnly(
  options: Options,
  { overNodes = false, ...wanted }: OriginOptions & { readonly overNodes?: boolean },
  log: Log,
): Promise<readonly string[]> {
  const directory = openDataDirectory(dataPath(options.dataPath, process.env));
  return withStores(options, directory, async (stores) => {
    if ((await storedSerial(stores.config)) > 0) {
      throw new NewClusterError("Cluster is already initialised");
    }
    // Nodes left by a failed attempt belong to this twin, and are written again.
    const isRepeated = readTwinMark(directory.path) !== undefined;
    if (!overNodes && !isRepeated) {
      await checkNodesAreEmpty(stores.nodeStates, directory.path);
    }
    const origin = await readOrigin(wanted).catch((error: unknown) => {
      if (!(error instanceof TwinError)) throw error;
      throw new StartError(error.message, { cause: error });
    });
    const { cluster_name: cluster } = origin.content.cluster;
    // The cluster is made last, so that an earlier failure does not prevent another attempt.
    await openConfd(options.confdKeyFile ?? directory.confdKey);
    // The mark is written before the nodes, so that a twin is never served as an ordinary cluster.
    writeTwinMark(directory.path, {
      cluster,
      source: shownSource(wanted.source),
      madeAt: new Date(systemClock.wallMicros() / 1000).toISOString(),
    });
    await makeTwin(stores, origin, secureRandom);
    const { nodes, instances } = origin.content;
    log.info({ cluster, nodes: nodes.length, instances: instances.length }, "twin created");
    return origin.remarks;
  });
}

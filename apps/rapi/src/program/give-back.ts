/** giveBack: hands an adopted cluster back, from its data directory. */

import { briskDurations } from "@ganeti-ts/simulated-nodes";
import { handBack, introducedClient, lostAtHandBack } from "@ganeti-ts/takeover";
import type { Log } from "../log.js";
import { openBackend } from "./backend.js";
import { dataPath, openDataDirectory } from "./data-directory.js";
import { placeOf } from "./ganeti/adopted-options.js";
import type { HandBackMode } from "./mode.js";
import type { Options } from "./options.js";
import { StartError } from "./start-error.js";
import { openOn, openStores } from "./stores.js";

/** Gives an adopted cluster back to Ganeti's daemons, or only reports what would be lost. @throws StartError */
export async function giveBack(
  given: Options,
  { check, drop, stayDrained }: HandBackMode,
  log: Log,
): Promise<readonly string[]> {
  const own = openDataDirectory(dataPath(given.dataPath, process.env));
  const { options, directory, adopted } = placeOf(given, own);
  if (adopted === undefined) throw new StartError(`${own.path} holds no adopted cluster`);
  const stores = await openStores(options, directory);
  const backend = await openOn(stores, () =>
    openBackend(options, {
      ...{ directory, stores, log, adopted },
      durations: briskDurations,
      runsJobs: false,
    }),
  );
  const { cluster } = backend;
  const close = async () => {
    await backend.stopJobs();
    await backend.closeStores();
  };
  try {
    const lost = lostAtHandBack(cluster.snapshot(), cluster.queue.settings.sizeMax);
    if (check) return lost;
    if (!stayDrained) await cluster.queue.change({ drained: false });
    const nodes = await introducedClient(adopted.site, cluster.snapshot().nodes());
    await handBack({ cluster, close, directory, nodes, drop, log });
    return lost;
  } finally {
    await close();
  }
}

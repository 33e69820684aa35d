/** firstConfiguration: imports the configuration of Ganeti's master into a server that has none. */

import type { ClusterStores } from "@ganeti-ts/cluster";
import { createConfiguration, storedSerial } from "@ganeti-ts/config";
import type { GanetiSite } from "@ganeti-ts/machines";
import { readOriginalConfiguration } from "./original.js";

/**
 * Copies `config.data` into stores without a cluster; returns whether it did. The stores must be closed afterwards:
 * a queue that is opened on them would not see the filter rules. The file is only read.
 * @throws TakeoverError if there is no such file, or it cannot be read as a configuration
 */
export async function firstConfiguration(
  { jobs, config }: ClusterStores,
  site: GanetiSite,
): Promise<boolean> {
  if ((await storedSerial(config)) > 0) return false;
  const { content, filters } = await readOriginalConfiguration(site);
  // The rules come first, because a stored configuration marks the import as complete.
  await jobs.step(
    () => [],
    () => filters.map((rule) => ({ kind: "rule", rule }) as const),
  );
  await createConfiguration(config, content);
  return true;
}

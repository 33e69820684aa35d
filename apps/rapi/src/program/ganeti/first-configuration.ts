/** firstConfiguration: the configuration of Ganeti's master becomes that of a server that has none yet. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ClusterStores } from "@ganeti-ts/cluster";
import { ConfigError, createConfiguration, readConfigFile } from "@ganeti-ts/config";
import { secureRandom, systemClock } from "@ganeti-ts/protocol";
import { StartError } from "../start-error.js";
import type { GanetiSite } from "./site.js";

/**
 * Copies `config.data` into stores without a cluster; says whether it did. The stores must be closed afterwards:
 * a queue that is opened on them would not see the filter rules. The file is only read.
 * @throws StartError if there is no such file, or it cannot be read as a configuration
 */
export async function firstConfiguration(
  { jobs, config }: ClusterStores,
  { data }: GanetiSite,
): Promise<boolean> {
  if ((await config.load()).serial > 0) return false;
  const path = join(data, "config.data");
  try {
    const { content, filters } = readConfigFile(readFileSync(path, "utf8"), {
      random: secureRandom,
      now: systemClock.wallMicros() / 1e6,
    });
    // The rules first: the configuration, once stored, says that all of it is there.
    await jobs.step(
      () => [],
      () => filters.map((rule) => ({ kind: "rule", rule }) as const),
    );
    await createConfiguration(config, content);
    return true;
  } catch (error) {
    const isSystemError = error instanceof Error && "syscall" in error;
    if (!(error instanceof ConfigError || isSystemError)) throw error;
    throw new StartError(`${path}: ${error.message}`, { cause: error });
  }
}

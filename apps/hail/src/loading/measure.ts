/** Asks for measured CPU loads, if they are wanted; what it takes loads only then. */
import type { Cluster } from "@ganeti-ts/htools";
import type { Ports } from "../ports.js";
import type { Settings } from "../settings.js";

/** Gives whether all that is wanted is known. */
export async function measure(
  cluster: Cluster,
  settings: Settings,
  ports: Ports,
): Promise<boolean> {
  if (!settings.mond || settings.ignoreUtilisation) return true;
  const { measureCpuLoads } = await import("./mond.js");
  return await measureCpuLoads(cluster, settings, ports);
}

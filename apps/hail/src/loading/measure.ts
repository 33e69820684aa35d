/** Measured CPU loads; the code that reads them loads only if they are requested. */
import type { Cluster } from "@ganeti-ts/htools";
import type { Ports } from "../ports.js";
import type { Settings } from "../settings.js";

/** Whether all requested loads are available. */
export async function measure(
  cluster: Cluster,
  settings: Settings,
  ports: Ports,
): Promise<boolean> {
  if (!settings.mond || settings.ignoreUtilisation) return true;
  const { measureCpuLoads } = await import("./mond.js");
  return await measureCpuLoads(cluster, settings, ports);
}

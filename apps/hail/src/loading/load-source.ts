/**
 * Cluster of a command line: selects the source, reads and loads it, adds measured loads, prints warnings.
 */
import { type Cluster, changeNodes, DataError, loadCluster } from "@ganeti-ts/htools";
import type { ClusterData } from "@ganeti-ts/protocol";
import type { Ports } from "../ports.js";
import type { Settings } from "../settings.js";
import { measure } from "./measure.js";
import {
  readMessageFile,
  readSimulation,
  readTextFile,
  whileAsking,
  whileLoading,
} from "./read-source.js";
import { readUtilisation } from "./utilisation.js";
import { warn } from "./warn.js";

/**
 * The cluster as the back end describes it; programs that change nodes call `changeAskedNodes`. Throws a
 * DataError, MessageError or FileError. Source: Ganeti, HTools/ExtLoader.hs.
 */
export async function loadSource(settings: Settings, ports: Ports): Promise<Cluster> {
  const { master, luxi, textData, utilisationFile } = settings;
  const exclusive = [master !== "", luxi !== undefined, textData !== undefined];
  if (exclusive.filter(Boolean).length > 1) {
    throw new DataError("Only one of the rapi, luxi, and data files options should be given.");
  }
  const utilisation =
    utilisationFile === undefined ? undefined : readUtilisation(utilisationFile, ports);
  const data = await readSource(settings, ports);
  const { staticKvmNodeMemoryMib, ignoreUtilisation, exclusionPrefixes } = settings;
  const { selectInstances, excludeInstances } = settings;
  const cluster = whileLoading(() =>
    loadCluster(data, {
      staticKvmNodeMemoryMib,
      ignoreUtilisation,
      exclusionPrefixes,
      selectInstances,
      excludeInstances,
      instancesCountedTwice: isMessage(settings),
      ...(utilisation && { utilisation }),
    }),
  );
  const isMeasured = await measure(cluster, settings, ports);
  if (settings.mondRequired && !isMeasured) throw new DataError("Not all required data available");
  if (settings.verbosity !== 0) warn(cluster, ports);
  return cluster;
}

/** Reads from the first back end that the command line names. */
async function readSource(settings: Settings, ports: Ports): Promise<ClusterData> {
  const { master, luxi, simulate, textData, iallocSource } = settings;
  if (master !== "") {
    const { readRapi } = await import("./rapi-source.js");
    return await whileAsking(() => readRapi(master, ports));
  }
  if (luxi !== undefined) {
    const { readLuxi } = await import("./luxi-source.js");
    const { luxiPath } = await import("../luxi/client.js");
    return await whileAsking(async () => readLuxi(await luxiPath(settings, ports), ports));
  }
  if (simulate.length > 0) return readSimulation(simulate);
  if (textData !== undefined) return readTextFile(textData, ports);
  if (iallocSource === undefined) {
    return whileLoading(() => {
      throw new DataError("No backend selected! Exiting.");
    });
  }
  const data = readMessageFile(iallocSource, ports);
  warn(loadCluster(data, { staticKvmNodeMemoryMib: 0 }), ports);
  return data;
}

const isMessage = ({ master, luxi, simulate, textData, iallocSource }: Settings): boolean =>
  iallocSource !== undefined &&
  master === "" &&
  luxi === undefined &&
  textData === undefined &&
  simulate.length === 0;

/** Applies the node options of the command line, which override the input. */
export function changeAskedNodes(cluster: Cluster, settings: Settings): void {
  const { offline, vcpuRatio, reservedDiskRatio } = settings;
  // Ganeti reports the option given last first.
  changeNodes(cluster, { offline: offline.toReversed(), vcpuRatio, reservedDiskRatio });
}

/** Cluster that a request is answered on: the request's own, or a replacement from the command line. */
import { type Cluster, DataError, type LoadOptions, loadCluster } from "@ganeti-ts/htools";
import type { AllocatorMessage, AllocatorRequest, ClusterData } from "@ganeti-ts/protocol";
import { measure } from "../loading/measure.js";
import { readSimulation, readTextFile } from "../loading/read-source.js";
import { warn } from "../loading/warn.js";
import type { Ports } from "../ports.js";
import type { Settings } from "../settings.js";

export interface Source {
  readonly cluster: Cluster;
  /** Options it was loaded with. */
  readonly load: LoadOptions;
}

/**
 * Loads the cluster and prints its inconsistencies; if the cluster is replaced, those of the request's own
 * come first. Names in the request have already been resolved to positions in the request's own lists, and
 * keep these positions.
 */
export async function sourceCluster(
  { cluster: own, request }: AllocatorMessage,
  settings: Settings,
  ports: Ports,
): Promise<Source> {
  const { staticKvmNodeMemoryMib } = settings;
  const load = { staticKvmNodeMemoryMib };
  const cluster = loadCluster(own, load);
  warn(cluster, ports);
  const replacement = replacingData(settings, ports);
  if (replacement === undefined) {
    await measure(cluster, settings, ports);
    return { cluster, load };
  }
  checkPositions(request, replacement);
  const { ignoreUtilisation } = settings;
  const loadAnew = { ...load, ignoreUtilisation, requestTags: own.tags };
  const replaced = loadCluster(replacement, loadAnew);
  await measure(replaced, settings, ports);
  warn(replaced, ports);
  return { cluster: replaced, load: loadAnew };
}

/** If both are given, the simulation wins. */
function replacingData(settings: Settings, ports: Ports): ClusterData | undefined {
  const { simulate, textData } = settings;
  if (simulate.length > 0) return readSimulation(simulate);
  return textData === undefined ? undefined : readTextFile(textData, ports);
}

/** Refuses positions that the replacing cluster does not have. */
function checkPositions(request: AllocatorRequest, replacement: ClusterData): void {
  const used = positions(request);
  for (const kind of ["instances", "nodes", "groups"] as const) {
    const available = replacement[kind].length;
    const beyond = used[kind]?.find((position) => position >= available);
    if (beyond === undefined) continue;
    throw new DataError(
      `The request means number ${beyond + 1} of its ${kind}, but the cluster that replaces its own has ${available} ${kind}`,
    );
  }
}

type Positions = Partial<Record<"instances" | "nodes" | "groups", readonly number[]>>;

/** Positions in its own cluster that a request refers to. */
function positions(request: AllocatorRequest): Positions {
  switch (request.type) {
    case "allocate":
    case "multi-allocate":
    case "capacity":
      return {};
    case "allocate-secondary":
      return { instances: [request.instanceIndex] };
    case "relocate":
      return { instances: [request.instanceIndex], nodes: request.relocateFrom };
    case "node-evacuate":
      return { instances: request.instanceIndices };
    case "change-group":
      return { instances: request.instanceIndices, groups: request.targetGroups };
    case "balance":
      return { instances: [...request.selectedIndices, ...request.excludedIndices] };
  }
}

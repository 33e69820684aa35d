/** The cluster a request is answered on: the request's own, or one that replaces it. */
import {
  type Cluster,
  clusterWarnings,
  DataError,
  type LoadOptions,
  loadCluster,
  readClusterText,
  simulateCluster,
} from "@ganeti-ts/htools";
import type { AllocatorMessage, AllocatorRequest, ClusterData } from "@ganeti-ts/protocol";
import { decodeText, FileError, onFile } from "./file-error.js";
import type { Ports } from "./ports.js";
import type { Settings } from "./settings.js";

export interface Source {
  readonly cluster: Cluster;
  /** How it was loaded. */
  readonly load: LoadOptions;
}

/**
 * Loads the cluster and prints what is inconsistent in it; for a replaced one, first for the request's
 * own. Names in the request have become positions in its own lists, and stay these positions.
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

function warn(cluster: Cluster, { stderr }: Ports): void {
  const warnings = clusterWarnings(cluster).map((warning) => `  - ${warning}\n`);
  if (warnings.length === 0) return;
  stderr(`Warning: cluster has inconsistent data:\n${warnings.join("")}\n`);
}

async function measure(cluster: Cluster, settings: Settings, ports: Ports): Promise<void> {
  if (!settings.mond || settings.ignoreUtilisation) return;
  const { measureCpuLoads } = await import("./mond.js");
  await measureCpuLoads(cluster, settings, ports);
}

/** Where both are given, the simulation wins. */
function replacingData({ simulate, textData }: Settings, ports: Ports): ClusterData | undefined {
  if (simulate.length > 0) return whileLoading(() => simulateCluster(simulate));
  if (textData === undefined) return undefined;
  const bytes = whileLoading(() => onFile(textData, () => ports.readFile(textData)));
  const text = decodeText(textData, bytes);
  return whileLoading(() => readClusterText(text));
}

function whileLoading<T>(load: () => T): T {
  try {
    return load();
  } catch (error) {
    if (!(error instanceof DataError || error instanceof FileError)) throw error;
    throw new DataError(`failed to load data, aborting: ${error.message}`, { cause: error });
  }
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

/** What of its own cluster a request refers to. */
function positions(request: AllocatorRequest): Positions {
  switch (request.type) {
    case "allocate":
    case "multi-allocate":
      return {};
    case "allocate-secondary":
      return { instances: [request.instanceIndex] };
    case "relocate":
      return { instances: [request.instanceIndex], nodes: request.relocateFrom };
    case "node-evacuate":
      return { instances: request.instanceIndices };
    case "change-group":
      return { instances: request.instanceIndices, groups: request.targetGroups };
  }
}

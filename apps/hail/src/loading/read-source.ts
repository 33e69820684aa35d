/**
 * Cluster read from a back end: text file, simulation, allocator message, remote API or master daemon. Error
 * messages begin with `failed to load data, aborting: `.
 */
import { DataError, readClusterText, simulateCluster } from "@ganeti-ts/htools";
import { type ClusterData, decodeMessage } from "@ganeti-ts/protocol";
import { decodeText, FileError, onFile } from "../file-error.js";
import type { Ports } from "../ports.js";
import { readInput } from "./input.js";

export function readTextFile(path: string, ports: Ports): ClusterData {
  const bytes = whileLoading(() => onFile(path, () => ports.readFile(path)));
  const text = decodeText(path, bytes);
  return whileLoading(() => readClusterText(text));
}

export const readSimulation = (specifications: readonly string[]): ClusterData =>
  whileLoading(() => simulateCluster(specifications));

/** The cluster of a complete, valid allocator request. Throws a MessageError for any fault in the request. */
export const readMessageFile = (path: string, ports: Ports): ClusterData =>
  decodeMessage(whileLoading(() => readInput(path, ports))).cluster;

export function whileLoading<T>(load: () => T): T {
  try {
    return load();
  } catch (error) {
    throw loadingError(error);
  }
}

/** The asynchronous version, for back ends that wait for answers. */
export async function whileAsking<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    throw loadingError(error);
  }
}

/** Words a fault of the input as a failed load; other errors are passed through. */
function loadingError(error: unknown): unknown {
  if (!(error instanceof DataError || error instanceof FileError)) return error;
  return new DataError(`failed to load data, aborting: ${error.message}`, { cause: error });
}

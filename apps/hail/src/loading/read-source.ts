/**
 * A cluster as a back end describes it: text file, simulation, allocator message, remote API or master
 * daemon. What goes wrong begins with `failed to load data, aborting: `.
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

/** The cluster of a whole and valid request, for which nothing else is done. A MessageError says what is not. */
export const readMessageFile = (path: string, ports: Ports): ClusterData =>
  decodeMessage(whileLoading(() => readInput(path, ports))).cluster;

export function whileLoading<T>(load: () => T): T {
  try {
    return load();
  } catch (error) {
    throw loadingError(error);
  }
}

/** The same of what takes its time. */
export async function whileAsking<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    throw loadingError(error);
  }
}

/** What is the input's fault, in the words of a failed load; anything else as it is. */
function loadingError(error: unknown): unknown {
  if (!(error instanceof DataError || error instanceof FileError)) return error;
  return new DataError(`failed to load data, aborting: ${error.message}`, { cause: error });
}

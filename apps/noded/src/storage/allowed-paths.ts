/** Directories in which file-based disks are allowed. */
import { access, constants, readFile, stat } from "node:fs/promises";
import { isAbsolute, join, normalize } from "node:path";
import { forbiddenStorageDirectories } from "@ganeti-ts/node-calls";
import { ifMissing, NodeFailure } from "../failure.js";
import type { NodePaths } from "../machine/paths.js";

/** Whether `path` is `directory` or lies below it. Both are normalized. */
const isWithin = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(directory.endsWith("/") ? directory : `${directory}/`);

/** The normalized path without a trailing slash; null for a path that is not absolute. */
function normal(path: string): string | null {
  if (!isAbsolute(path) || path.includes("\0")) return null;
  const normalized = normalize(path);
  return normalized.length > 1 ? normalized.replace(/\/+$/, "") : normalized;
}

/**
 * The administrator's list, `file-storage-paths` in the configuration directory: one path per line, `#` starts a comment
 * line. It is read at each use and never distributed to nodes. A missing file counts as an empty list.
 */
async function allowedPaths({ conf }: Pick<NodePaths, "conf">): Promise<readonly string[]> {
  const text = await readFile(join(conf, "file-storage-paths"), "utf8").catch(ifMissing(""));
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
}

function refuseForbidden(path: string): string {
  const wanted = normal(path);
  if (
    wanted === null ||
    forbiddenStorageDirectories.some((directory) => isWithin(wanted, directory))
  ) {
    throw new NodeFailure(`Path '${path}' uses a forbidden prefix`);
  }
  return wanted;
}

/**
 * Throws NodeFailure unless the file (or directory, with `isDirectory`) may be used for disks: it must lie below one of the
 * allowed directories; a directory may also be one of them.
 */
export async function checkStoragePath(
  paths: Pick<NodePaths, "conf">,
  path: string,
  { isDirectory = false } = {},
): Promise<void> {
  const allowed = await allowedPaths(paths);
  if (allowed.length === 0) {
    throw new NodeFailure(
      `No paths are valid or path file '${join(paths.conf, "file-storage-paths")}' was not accessible.`,
    );
  }
  const wanted = refuseForbidden(path);
  const isAccepted = allowed.some((entry) => {
    const directory = normal(entry);
    return (
      directory !== null && isWithin(wanted, directory) && (isDirectory || wanted !== directory)
    );
  });
  if (!isAccepted) throw new NodeFailure(`Path '${path}' is not acceptable for file storage`);
}

/** Throws NodeFailure unless the cluster can use the directory: its path is allowed, and it exists and is writable. */
export async function checkStorageDirectory(
  paths: Pick<NodePaths, "conf">,
  directory: string,
): Promise<void> {
  await checkStoragePath(paths, directory, { isDirectory: true });
  const found = await stat(directory).catch(() => null);
  if (found === null || !found.isDirectory()) {
    throw new NodeFailure(`Path '${directory}' is not existing or not a directory.`);
  }
  const isWritable = await access(directory, constants.W_OK).then(
    () => true,
    () => false,
  );
  if (!isWritable) throw new NodeFailure(`Path '${directory}' is not writable`);
}

/** Entries of the administrator's list that can never be accepted. */
export async function badAllowedPaths(paths: Pick<NodePaths, "conf">): Promise<readonly string[]> {
  return (await allowedPaths(paths)).filter((entry) => {
    const path = normal(entry);
    return (
      path === null || forbiddenStorageDirectories.some((directory) => isWithin(path, directory))
    );
  });
}

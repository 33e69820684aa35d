/** Directories of disks in files. Those that all nodes have mounted exist as long as they contain files. */
import { isForbiddenStorage } from "@ganeti-ts/node-calls";
import type { StoredDisk } from "./node-state.js";
import { NodeFault, type Site } from "./site.js";

type Where = Pick<Site, "host" | "shared">;

export const directoryOf = (path: string): string => path.slice(0, path.lastIndexOf("/"));

/** Text of the refusal, as of real nodes; undefined for a path that disks in files may have. */
export const storagePathFault = (path: string): string | undefined =>
  !path.startsWith("/") || path.includes("\0") || isForbiddenStorage(path)
    ? `Path '${path}' uses a forbidden prefix`
    : undefined;

/** The path, which each call about disks in files and their directories checks. @throws NodeFault */
export function storagePath(path: string): string {
  const fault = storagePathFault(path);
  if (fault !== undefined) throw new NodeFault(fault);
  return path;
}

type Disks = Record<string, StoredDisk>;

/** Keys of the files below a directory: their paths, which other parts of a name may precede. */
export const keysBelow = (disks: Disks, directory: string): readonly string[] =>
  Object.keys(disks).filter((key) => ` ${key}`.includes(` ${directory}/`));

export const hasFiles = ({ host, shared }: Where, directory: string): boolean =>
  [host.fileSystem.disks, shared.disks].some((disks) => keysBelow(disks, directory).length > 0);

export const isDirectory = (where: Where, directory: string): boolean =>
  where.host.fileSystem.directories.includes(directory) || hasFiles(where, directory);

export function removeDirectory({ host: { fileSystem } }: Where, directory: string): void {
  fileSystem.directories = fileSystem.directories.filter((known) => known !== directory);
}

/** Renames the directory with its files. */
export function renameDirectory({ host, shared }: Where, from: string, to: string): void {
  const { fileSystem } = host;
  fileSystem.directories = fileSystem.directories.map((known) => (known === from ? to : known));
  for (const disks of [fileSystem.disks, shared.disks] as Disks[]) {
    for (const key of keysBelow(disks, from)) {
      disks[key.replace(`${from}/`, `${to}/`)] = disks[key] as StoredDisk;
      delete disks[key];
    }
  }
}

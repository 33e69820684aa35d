/** Directories of disks in files. Those that all nodes have mounted exist as long as they contain files. */
import type { StoredDisk } from "./node-state.js";
import type { Site } from "./site.js";

type Where = Pick<Site, "host" | "shared">;

export const directoryOf = (path: string): string => path.slice(0, path.lastIndexOf("/"));

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

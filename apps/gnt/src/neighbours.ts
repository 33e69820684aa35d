/** Files of other packages of ours that are installed beside this one, and the folders of commands. */
import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Path of `path` (`rapi/dist/ganeti-rapi.js`) beside this package: as it was started, or where links lead. Where it should
 * be, if it is nowhere.
 */
export function neighbour(path: string): string {
  const started = process.argv[1] ?? ".";
  const places = [realpathSync(started), started].map((one) => join(dirname(one), "../..", path));
  return places.find((place) => existsSync(place)) ?? (places[0] as string);
}

/**
 * Folders of the programs that have the names of Ganeti's, as an entry of PATH: our `gnt-` commands, and the htools if their
 * package is installed.
 */
export const commandFolders = (): string =>
  [neighbour("gnt/dist/bin"), neighbour("hail/dist/bin")]
    .filter((folder) => existsSync(folder))
    .join(":");

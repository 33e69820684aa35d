/** Files that are shipped with the daemon: programs for interfaces and consoles, OS definitions. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Folders that contain `programs/` and `os-definitions/`: that of the bundle, or those of the package for its sources. */
const folders = (() => {
  const own = dirname(fileURLToPath(import.meta.url));
  return [own, join(own, ".."), join(own, "../..")];
})();

/** Path of a shipped file or folder, e.g. `programs/kvm-ifup`; if it is missing, its path in the daemon's folder. */
export function shipped(name: string): string {
  const paths = folders.map((folder) => join(folder, name));
  return paths.find((path) => existsSync(path)) ?? join(folders[0] as string, name);
}

/** Without these no instance under KVM has a network or a console. */
const required = ["programs/kvm-ifup", "programs/kvm-console-wrapper"];

/** Paths of shipped programs that are missing: the daemon has been copied without them. */
export const missingPrograms = (): readonly string[] =>
  required.map(shipped).filter((path) => !existsSync(path));

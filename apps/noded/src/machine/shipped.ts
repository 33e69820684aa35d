/** Files that are shipped with the daemon: programs for interfaces and consoles, OS definitions. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Folders that contain `programs/` and `os-definitions/`: beside the single file, or those of the package, whose compiled files and
 * sources lie one folder deeper.
 */
const folders = (() => {
  const own = dirname(fileURLToPath(import.meta.url));
  return [own, join(own, ".."), join(own, "../..")];
})();

/** Path of a shipped file or folder, as `programs/kvm-ifup`. Where it is missing, the path beside the daemon. */
export function shipped(name: string): string {
  const paths = folders.map((folder) => join(folder, name));
  return paths.find((path) => existsSync(path)) ?? join(folders[0] as string, name);
}

/** Without these no instance under KVM has a network or a console. */
const required = ["programs/kvm-ifup", "programs/kvm-console-wrapper"];

/** Paths of shipped programs that are missing: the daemon has been copied without them. */
export const missingPrograms = (): readonly string[] =>
  required.map(shipped).filter((path) => !existsSync(path));

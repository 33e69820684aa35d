/** Files shipped with the daemon: programs for interfaces and consoles, OS definitions. */
import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Folders that contain `programs/` and `os-definitions/`: the bundle's own, or those of the package when it runs from source. */
const folders = (() => {
  const own = dirname(fileURLToPath(import.meta.url));
  return [own, join(own, ".."), join(own, "../..")];
})();

/** Path of a shipped file or folder, e.g. `programs/kvm-ifup`; if it is missing, its path in the daemon's folder. */
export function shipped(name: string): string {
  const paths = folders.map((folder) => join(folder, name));
  return paths.find((path) => existsSync(path)) ?? join(folders[0] as string, name);
}

/** Without these no instance under KVM has a network, a console, or devices that are added while it runs as a user. */
const required = ["kvm-ifup", "kvm-console-wrapper", "send-descriptor.py"].map(
  (name) => `programs/${name}`,
);

/** Fault of the shipped files that prevents the daemon from working, e.g. after a bad copy; null if there is none. */
export function shippedFault(): string | null {
  const missing = required.map(shipped).filter((path) => !existsSync(path));
  if (missing.length > 0)
    return `copied without its programs: there is no ${missing.join(", no ")}`;
  const locked = ["programs", "os-definitions"]
    .map(shipped)
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => filesBelow(folder))
    .filter((path) => isScript(path) && (statSync(path).mode & 0o100) === 0);
  if (locked.length === 0) return null;
  return `copied without the modes of its programs: chmod 755 ${locked.join(" ")}`;
}

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

function isScript(path: string): boolean {
  const file = openSync(path, "r");
  try {
    const begin = Buffer.alloc(2);
    readSync(file, begin);
    return begin.toString() === "#!";
  } finally {
    closeSync(file);
  }
}

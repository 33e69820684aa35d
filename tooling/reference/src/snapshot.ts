// Snapshots of benches as they are right after their first start, so that the next start takes seconds.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { packageList, packagesFolder } from "./packages.js";
import { type Release, releases } from "./release.js";

/** Properties that distinguish snapshots of one version of the bench. */
export interface SnapshotKind {
  readonly version: Release["name"];
  readonly nodeCount: number;
  readonly populated: boolean;
  readonly storage: boolean;
}

/** Parts of a bench's folder that are kept; the others belong to one run. */
const parts = ["nodes", "home", "definitions", "layer", "overlay", "devices"];
/** Certificates and times of the snapshot age. */
const ageMaxMs = 7 * 24 * 3600 * 1000;

/**
 * Folder of the snapshot of `kind`, whether there is one or not.
 *
 * Its name depends on the programs of the bench and on the packages: a change of either starts afresh.
 */
export function snapshotFolder(kind: SnapshotKind): string {
  const hash = createHash("sha256").update(JSON.stringify(kind));
  for (const folder of ["./", "../python/"].map((name) => new URL(name, import.meta.url))) {
    for (const name of readdirSync(folder).sort()) {
      const file = fileURLToPath(new URL(name, folder));
      if (statSync(file).isFile()) hash.update(`${name}\n`).update(readFileSync(file));
    }
  }
  const packages = packageList(releases[kind.version]);
  hash.update(existsSync(packages) ? readFileSync(packages) : "installed");
  return join(`${packagesFolder()}-snapshots`, hash.digest("hex").slice(0, 24));
}

/** Whether there is a snapshot that is not too old. */
export function hasSnapshot(folder: string): boolean {
  return existsSync(folder) && Date.now() - statSync(folder).mtimeMs < ageMaxMs;
}

/**
 * Saves the folder of a bench that has ended. If two benches are saved at the same time, the first one
 * stays.
 */
export function saveSnapshot(directory: string, folder: string): void {
  const all = dirname(folder);
  mkdirSync(all, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(all)) {
    const other = join(all, name);
    if (!hasSnapshot(other)) rmSync(other, { recursive: true, force: true });
  }
  const place = `${folder}.${process.pid}`;
  copyParts(directory, place);
  if (existsSync(folder)) rmSync(place, { recursive: true });
  else renameSync(place, folder);
}

/** Fills the empty folder of a bench from a snapshot. */
export function restoreSnapshot(folder: string, directory: string): void {
  copyParts(folder, directory);
  mkdirSync(join(directory, "shared"));
}

/** Copies with owners, times and the marks of overlays, which Node's own copying drops. */
function copyParts(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  const sources = parts.map((part) => join(from, part));
  execFileSync("cp", ["--archive", "--sparse=always", ...sources, to]);
}

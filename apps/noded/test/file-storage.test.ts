import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodePaths } from "../src/machine/paths.js";
import {
  badAllowedPaths,
  checkStorageDirectory,
  checkStoragePath,
} from "../src/storage/allowed-paths.js";
import { type MachineFolder, machineFolder } from "./machine-folder.js";

let folder: MachineFolder;
beforeEach(async () => {
  folder = await machineFolder();
  mkdirSync(join(folder.root, "etc/ganeti"), { recursive: true });
});
afterEach(() => folder.remove());

function allow(...lines: string[]) {
  const paths = nodePaths(folder.root);
  writeFileSync(join(paths.conf, "file-storage-paths"), `${lines.join("\n")}\n`);
  return paths;
}

test("without a list no path may be used", async () => {
  await expect(checkStoragePath(nodePaths(folder.root), "/srv/disks/a")).rejects.toThrow(
    "No paths are valid or path file",
  );
});

test.each([
  ["/srv/disks/web/disk0", undefined],
  ["/srv/disks", "is not acceptable for file storage"],
  ["/srv/disks-of-others/a", "is not acceptable for file storage"],
  ["/srv/disks/../../etc/passwd", "uses a forbidden prefix"],
  ["/usr/lib/a", "uses a forbidden prefix"],
  ["srv/disks/a", "uses a forbidden prefix"],
  ["/srv/disks/a\0b", "uses a forbidden prefix"],
])("with /srv/disks allowed, the file %j: %s", async (path, fault) => {
  const paths = allow("# a comment", "", " /srv/disks/ ");
  const check = checkStoragePath(paths, path);
  if (fault === undefined) await expect(check).resolves.toBeUndefined();
  else await expect(check).rejects.toThrow(fault);
});

test("an allowed directory itself may be used as a directory", async () => {
  const paths = allow("/srv/disks");
  await expect(
    checkStoragePath(paths, "/srv/disks", { isDirectory: true }),
  ).resolves.toBeUndefined();
});

test("a forbidden directory is refused also where the administrator has listed it, and is reported", async () => {
  const paths = allow("/etc", "relative", "/srv/disks");
  await expect(checkStoragePath(paths, "/etc/ganeti/disk0")).rejects.toThrow("forbidden prefix");
  expect(await badAllowedPaths(paths)).toEqual(["/etc", "relative"]);
});

test("a directory that the cluster wants has to exist", async () => {
  const directory = join(folder.root, "disks");
  const paths = allow(directory);
  await expect(checkStorageDirectory(paths, directory)).rejects.toThrow(
    `Path '${directory}' is not existing or not a directory.`,
  );
  mkdirSync(directory);
  await expect(checkStorageDirectory(paths, directory)).resolves.toBeUndefined();
});

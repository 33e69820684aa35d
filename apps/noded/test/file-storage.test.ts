import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DiskOnNode } from "@ganeti-ts/node-calls";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodePaths } from "../src/machine/paths.js";
import {
  badAllowedPaths,
  checkStorageDirectory,
  checkStoragePath,
} from "../src/storage/allowed-paths.js";
import { fileDisks } from "../src/storage/file-disk.js";
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

test("a forbidden directory is refused and reported even if the administrator has listed it", async () => {
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

test("a repeated growth of a file-based disk adds its amount once", async () => {
  const directory = join(folder.root, "disks");
  mkdirSync(directory);
  const disks = fileDisks({ paths: allow(directory) });
  const disk: DiskOnNode = {
    ...{ uuid: "uuid-file", dev_type: "file", size: 2, params: {} },
    logical_id: ["loop", join(directory, "disk0")],
  };
  await disks.create(disk, { sizeMib: 2, exclusiveStorage: false, children: [] });
  const growth = { amountMib: 1, dryRun: false, backingStore: true, exclusiveStorage: false };
  for (const _ of [1, 2]) await disks.grow(disk, growth);
  expect(await disks.size(disk)).toMatchObject({ bytes: 3 * 1024 * 1024 });
  await disks.grow({ ...disk, size: 3 }, growth);
  expect(await disks.size(disk)).toMatchObject({ bytes: 4 * 1024 * 1024 });
});

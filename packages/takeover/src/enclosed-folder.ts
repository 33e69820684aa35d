/** Ganeti's files on the master as parts of a backup: its folder without queue and exports, and root's ssh keys. */

import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { readVersioned } from "@ganeti-ts/job-queue";
import { type GanetiSite, localPath } from "@ganeti-ts/machines";
import * as z from "zod";
import { idsByName, namesById } from "./accounts.js";
import { TakeoverError } from "./takeover-error.js";

const version = 1;

/** Owner, group and mode of a file or folder; names, because another machine may have other numbers. */
const Entry = z.object({
  path: z.string(),
  isFolder: z.boolean(),
  mode: z.int(),
  owner: z.string(),
  group: z.string(),
});
type Entry = z.infer<typeof Entry>;

const List = z.object({ version: z.int(), entries: z.array(Entry) });

/** Names in a backup. */
const listName = "ganeti";
const nameOf = (path: string) => `ganeti/${path}`;

/** Not enclosed: jobs are in the database, and exports of instances may be as large as their disks. */
const leftOut: ReadonlySet<string> = new Set(["queue/", "export/"]);

/** Root's keys, with which the master logs in to nodes. */
const sshKeys = ["rsa", "dsa", "ecdsa", "ed25519"].flatMap((type) => [
  `id_${type}`,
  `id_${type}.pub`,
]);
const sshFolder = join(homedir(), ".ssh");

/** Where a file of the backup is on this machine: paths below Ganeti's folder are relative. */
const placeOf = (site: GanetiSite, path: string): string =>
  path.startsWith("/") ? localPath(site, path) : join(site.data, path);

/** Files by their names in a backup, and the list of their owners and modes. */
export async function ganetiFiles(site: GanetiSite): Promise<ReadonlyMap<string, Uint8Array>> {
  const [users, groups] = await Promise.all([namesById("/etc/passwd"), namesById("/etc/group")]);
  const files = new Map<string, Uint8Array>();
  const entries: Entry[] = [];
  const take = (path: string) => {
    const place = placeOf(site, path);
    const found = lstatSync(place, { throwIfNoEntry: false });
    const isFolder = found?.isDirectory() ?? false;
    if (found === undefined || !(isFolder || found.isFile())) return;
    const { mode, uid, gid } = found;
    entries.push({
      ...{ path, isFolder, mode: mode & 0o7777 },
      ...{ owner: users.get(uid) ?? String(uid), group: groups.get(gid) ?? String(gid) },
    });
    if (!isFolder) files.set(nameOf(path), readFileSync(place));
    else if (!leftOut.has(`${path}/`)) {
      for (const name of readdirSync(place)) {
        if (!/\.(new|partial)$/.test(name)) take(join(path, name));
      }
    }
  };
  take(".");
  for (const name of sshKeys) take(join(sshFolder, name));
  files.set(listName, Buffer.from(JSON.stringify({ version, entries })));
  return files;
}

/** Entries of a backup; empty for a cluster without Ganeti's files. @throws HaltError */
function entriesOf(files: ReadonlyMap<string, Uint8Array>, source: string): readonly Entry[] {
  const list = files.get(listName);
  if (list === undefined) return [];
  return List.parse(readVersioned(source, Buffer.from(list).toString("utf8"), version)).entries;
}

/**
 * Refuses to mix the keys of two clusters. Existing newer keys of the same cluster stay.
 * @throws TakeoverError, HaltError
 */
export function checkSameCluster(
  site: GanetiSite,
  files: ReadonlyMap<string, Uint8Array>,
  source: string,
): void {
  const uuid = uuidIn(files.get(nameOf("config.data")));
  for (const { path, isFolder } of entriesOf(files, source)) {
    const place = placeOf(site, path);
    if (isFolder || !isKey(path) || !existsSync(place)) continue;
    if (readFileSync(place).equals(files.get(nameOf(path)) ?? Buffer.of())) continue;
    const present = join(site.data, "config.data");
    const found = existsSync(present) ? uuidIn(readFileSync(present)) : undefined;
    if (uuid !== undefined && found === uuid) return;
    throw new TakeoverError(
      `${place} is not the one of the backup, and ${site.data} belongs to ${found === undefined ? "no known cluster" : `the cluster ${found}`}, the backup to ${uuid}: move ${site.data} away first`,
    );
  }
}

const isKey = (path: string): boolean =>
  ["server.pem", "hmac.key", "cluster-domain-secret", "rapi.pem"].includes(path);

function uuidIn(config: Uint8Array | undefined): string | undefined {
  if (config === undefined) return undefined;
  const { cluster } = JSON.parse(Buffer.from(config).toString("utf8")) as {
    readonly cluster?: { readonly uuid?: string };
  };
  return cluster?.uuid;
}

/** Restores missing files with their owners and modes; existing ones stay. `undo` takes back what was made. */
export async function bringBackGanetiFiles(
  site: GanetiSite,
  files: ReadonlyMap<string, Uint8Array>,
  { source, undo }: { readonly source: string; readonly undo: (back: () => void) => void },
): Promise<void> {
  const [users, groups] = await Promise.all([idsByName("/etc/passwd"), idsByName("/etc/group")]);
  const giveTo = (place: string, { mode, owner, group }: Entry) => {
    // Accounts of Ganeti's packages may be missing: root keeps the file then.
    if (process.getuid?.() === 0) chownSync(place, users.get(owner) ?? 0, groups.get(group) ?? 0);
    chmodSync(place, mode);
  };
  const made = (place: string) => undo(() => rmSync(place, { recursive: true, force: true }));
  for (const entry of entriesOf(files, source)) {
    const place = placeOf(site, entry.path);
    if (existsSync(place)) continue;
    if (entry.isFolder || !existsSync(dirname(place))) {
      const folder = entry.isFolder ? place : dirname(place);
      made(mkdirSync(folder, { recursive: true, mode: 0o700 }) ?? folder);
      if (entry.isFolder) giveTo(folder, entry);
    }
    if (entry.isFolder) continue;
    made(place);
    writeFileSync(`${place}.new`, files.get(nameOf(entry.path)) ?? "", {
      mode: 0o600,
      flush: true,
    });
    giveTo(`${place}.new`, entry);
    renameSync(`${place}.new`, place);
  }
}

/** An empty queue, to be filled by the server; with the owner of its folder. */
export function prepareQueue({ data }: GanetiSite, undo: (back: () => void) => void): void {
  const queue = join(data, "queue");
  const { uid, gid } = lstatSync(existsSync(queue) ? queue : data);
  const owned = (place: string, make: () => void) => {
    if (existsSync(place)) return;
    undo(() => rmSync(place, { recursive: true, force: true }));
    make();
    if (process.getuid?.() === 0) chownSync(place, uid, gid);
  };
  for (const folder of [queue, join(queue, "archive")]) {
    owned(folder, () => mkdirSync(folder, { mode: 0o750 }));
  }
  const serial = join(queue, "serial");
  owned(serial, () => writeFileSync(serial, "0\n", { mode: 0o640 }));
}

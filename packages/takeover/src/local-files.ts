/** localGanetiFiles: Ganeti's files on this machine, written as its own daemons write them. */

import { chmod, chown, mkdir, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ForeignChangeError, type GanetiFiles, type WrittenFile } from "@ganeti-ts/cluster";
import type { GanetiSite } from "@ganeti-ts/machines";
import { dataDirectory } from "@ganeti-ts/node-calls";
import { namesById } from "./accounts.js";

/** Identity of the `config.data` last written: inode, time of change and size. */
type Stamp = string;

const stampOf = async (path: string): Promise<Stamp | undefined> => {
  const found = await stat(path, { bigint: true }).catch(absent);
  return found && `${found.ino} ${found.mtimeNs} ${found.size}`;
};

export function absent(error: Error & { readonly code?: string }): undefined {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
  throw error;
}

/** Durable record of the `config.data` that this server has written; survives a crash between two steps. */
export interface OwnStamps {
  known(): Promise<readonly Stamp[]>;
  remember(stamps: readonly Stamp[]): Promise<void>;
}

/** Stamps in a file of the server. */
export const stampsIn = (file: string): OwnStamps => ({
  async known() {
    const text = await readFile(file, "utf8").catch(absent);
    return text === undefined ? [] : (JSON.parse(text) as readonly Stamp[]);
  },
  remember: async (stamps) => replaced(file, JSON.stringify(stamps), { mode: 0o600, sync: true }),
});

/** Accepts the present `config.data` as our own: at adoption, and after a takeover. */
export async function ownPresentConfiguration(site: GanetiSite, own: OwnStamps): Promise<void> {
  const stamp = await stampOf(join(site.data, "config.data"));
  await own.remember(stamp === undefined ? [] : [stamp]);
}

/** Files keep the owner, group and mode that Ganeti has given them. */
export async function localGanetiFiles(site: GanetiSite, own: OwnStamps): Promise<GanetiFiles> {
  const path = join(site.data, "config.data");
  const queue = join(site.data, "queue");
  const { uid, gid } = await stat(queue);
  const owner = { uid, gid };
  const foreignChange = () => whyForeign(site, path, own);
  return {
    foreignChange,
    async writeConfiguration(text) {
      const foreign = await foreignChange();
      if (foreign !== undefined) throw new ForeignChangeError(foreign);
      if ((await readFile(path, "utf8")) !== text) await replaceConfiguration(path, text, own);
      return attributesOf(path);
    },
    writeQueueFile: (name, text) => replaced(join(queue, name), text, { mode: 0o640, owner }),
    async moveQueueFiles(moves) {
      for (const [from, to] of moves) {
        const folder = dirname(join(queue, to));
        if ((await stat(folder).catch(absent)) === undefined) {
          await mkdir(folder, { mode: 0o750 });
          await chown(folder, owner.uid, owner.gid);
          await chmod(folder, 0o750);
        }
        await rename(join(queue, from), join(queue, to)).catch(absent);
      }
    },
    async setDrained(drained) {
      const file = join(queue, "drain");
      if (drained) await replaced(file, "", { mode: 0o644, owner });
      else await rm(file, { force: true });
    },
  };
}

async function whyForeign(
  site: GanetiSite,
  path: string,
  own: OwnStamps,
): Promise<string | undefined> {
  const shown = `${dataDirectory}/config.data`;
  const [stamp, known] = await Promise.all([stampOf(path), own.known()]);
  if (stamp === undefined) return `${shown} is missing`;
  if (!known.includes(stamp)) return `${shown} has been changed by another program`;
  const master = await readFile(join(site.data, "ssconf_master_node"), "utf8").catch(absent);
  const name = master?.trim();
  if (name === site.host) return undefined;
  return `${dataDirectory}/ssconf_master_node names ${name || "no node"}, not ${site.host}`;
}

/** Remembers both the old and the new file until the rename has succeeded. */
async function replaceConfiguration(path: string, text: string, own: OwnStamps): Promise<void> {
  const before = await stat(path);
  const fresh = `${path}.new`;
  await replaced(fresh, text, { mode: before.mode & 0o7777, owner: before, sync: true });
  const [old, next] = [await stampOf(path), await stampOf(fresh)];
  const stamps = [old, next].filter((one) => one !== undefined);
  await own.remember(stamps);
  await rename(fresh, path);
  await own.remember(stamps.slice(-1));
}

async function attributesOf(path: string): Promise<WrittenFile> {
  const [users, groups] = await Promise.all([namesById("/etc/passwd"), namesById("/etc/group")]);
  const { mode, uid, gid, atimeMs, mtimeMs } = await stat(path);
  return {
    mode,
    owner: users.get(uid) ?? String(uid),
    group: groups.get(gid) ?? String(gid),
    accessedAt: atimeMs / 1000,
    modifiedAt: mtimeMs / 1000,
  };
}

interface Attributes {
  readonly mode: number;
  readonly owner?: { readonly uid: number; readonly gid: number };
  /** Whether the content is flushed to disk before it replaces the old file. */
  readonly sync?: boolean;
}

/** Replaces a file atomically; the new content is never readable beyond `mode`. */
async function replaced(
  path: string,
  text: string,
  { mode, owner, sync = false }: Attributes,
): Promise<void> {
  const partial = `${path}.partial`;
  await writeFile(partial, text, { mode: 0o600 });
  if (owner !== undefined) await chown(partial, owner.uid, owner.gid);
  await chmod(partial, mode);
  if (sync) await synced(partial);
  await rename(partial, path);
}

/** Flushes a file or folder to disk. */
export async function synced(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

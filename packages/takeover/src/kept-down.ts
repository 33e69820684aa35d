/** keepDown, letGo: prevents Ganeti's own master daemons from starting while this server is the master. */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, chown, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { dirname } from "node:path";
import { type GanetiSite, localPath } from "@ganeti-ts/machines";
import { absent } from "./local-files.js";
import type { TakeoverLog } from "./log.js";
import { readSsconf } from "./original.js";

/** Daemons that only a master runs. */
const masterDaemons = ["ganeti-wconfd", "ganeti-luxid", "ganeti-rapi"] as const;
type MasterDaemon = (typeof masterDaemons)[number];

const runDirectory = "/var/run/ganeti";
const cronTable = "/etc/cron.d/ganeti";
/** Name that cron ignores, because it contains a dot. */
const pausedTable = `${cronTable}.paused-by-ganeti-ts`;

/** Lock that Ganeti's watcher holds while it runs, and that programs wait for before they stop all daemons. */
const watcherLock = "/var/lock/ganeti-watcher.lock";

const pidFile = (site: GanetiSite, daemon: MasterDaemon): string =>
  localPath(site, `${runDirectory}/${daemon}.pid`);

/** Master daemons that run on this node. */
export async function livingDaemons(
  site: GanetiSite,
): Promise<readonly { readonly name: MasterDaemon; readonly pid: number }[]> {
  const living: { name: MasterDaemon; pid: number }[] = [];
  for (const name of masterDaemons) {
    const pid = Number(await readFile(pidFile(site, name), "utf8").catch(absent));
    if (!Number.isInteger(pid) || pid <= 0) continue;
    const words = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(absent);
    // Process numbers are reused, and these files contain our own while this server is the master.
    if (words?.includes(name)) living.push({ name, pid });
  }
  return living;
}

/**
 * Replaces the pid files of luxid and wconfd by files of root with our number: the daemons cannot write them, and
 * Ganeti's script considers the daemons started. The pid file of rapi is locked. The files survive the end of this
 * process; the lock does not. With systemd the units are masked; cron does not start the watcher, and Ganeti's own
 * `gnt-cluster renew-crypto` waits for the watcher's lock before it stops the daemons of all nodes.
 */
export async function keepDown(site: GanetiSite, log: TakeoverLog): Promise<void> {
  // After a boot the folder is empty, and the node's daemon may not have started yet.
  await mkdir(localPath(site, `${runDirectory}/socket`), { recursive: true, mode: 0o755 });
  for (const daemon of masterDaemons) {
    const file = pidFile(site, daemon);
    await rm(file, { force: true });
    await writeFile(file, `${process.pid}\n`, { mode: 0o644 });
    await chown(file, 0, 0);
    await chmod(file, 0o644);
  }
  const table = localPath(site, cronTable);
  if (existsSync(table)) await rename(table, localPath(site, pausedTable));
  if (hasSystemd(site)) await systemctl("mask", ...units);
  await lockFile(pidFile(site, "ganeti-rapi"));
  const lock = localPath(site, watcherLock);
  await mkdir(dirname(lock), { recursive: true });
  // Taken in the background: a watcher that still runs ends within seconds.
  lockFile(lock, { waits: true }).catch((error: Error) =>
    log.warn({ problem: error.message }, "the lock of Ganeti's watcher could not be taken"),
  );
}

/** Undoes `keepDown`; does not start the daemons. */
export async function letGo(site: GanetiSite): Promise<void> {
  for (const daemon of masterDaemons) await rm(pidFile(site, daemon), { force: true });
  const paused = localPath(site, pausedTable);
  if (existsSync(paused)) await rename(paused, localPath(site, cronTable));
  if (hasSystemd(site)) await systemctl("unmask", ...units);
}

/**
 * `letGo` for a node that is no longer the master: its own daemons notice that themselves, and cron may restart the
 * daemons of a node again. Returns whether the node's files name another master.
 */
export async function letGoOfFormerMaster(site: GanetiSite): Promise<boolean> {
  const named = await readSsconf(site, "master_node");
  if (!named || named === site.host) return false;
  await letGo(site);
  return true;
}

const units = masterDaemons.map((name) => `${name}.service`);

/** Virtual nodes have no units of their own. */
const hasSystemd = ({ root }: GanetiSite): boolean =>
  root === undefined && existsSync("/run/systemd/system");

async function systemctl(...words: readonly string[]): Promise<void> {
  const child = spawn("systemctl", words, { stdio: "inherit" });
  await new Promise<void>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0 ? resolve() : reject(new Error(`systemctl ${words.join(" ")}: exit ${code}`)),
    );
  });
}

/** Takes a BSD lock, as Ganeti's Python programs do. It is held until this process ends, even by a crash. */
function lockFile(path: string, { waits = false } = {}): Promise<void> {
  const how = waits ? [] : ["--nonblock"];
  // The holder reads from a pipe whose other end only this process has.
  const holder = spawn("flock", [...how, "--no-fork", path, "cat"], {
    stdio: ["pipe", "pipe", "inherit"],
    detached: true,
  });
  for (const one of waits ? handlesOf(holder) : []) one.unref?.();
  return new Promise((resolve, reject) => {
    holder.once("error", reject);
    holder.once("exit", () => reject(new Error(`${path} is locked by another process`)));
    // The echoed line shows that the holder has the lock; its handles must not keep this process running.
    holder.stdout.once("data", () => {
      for (const one of handlesOf(holder)) one.unref?.();
      resolve();
    });
    holder.stdin.on("error", () => {}).write("locked\n");
  });
}

/** Handles that would keep this process running: the streams of a child are sockets. */
const handlesOf = (holder: ChildProcess): readonly Partial<Pick<Socket, "unref">>[] =>
  [holder, holder.stdin, holder.stdout] as readonly unknown[] as readonly Partial<Socket>[];

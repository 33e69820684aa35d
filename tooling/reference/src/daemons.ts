// Ganeti's daemons on the virtual nodes: found by their pid files, started by Ganeti's own script, ended by pid.
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { mustSucceed, runInside } from "./inside.js";
import type { ReferenceNode } from "./layout.js";

/** Daemons that a master has in addition to those of every node, in the order in which they start. */
export const masterDaemons = ["ganeti-wconfd", "ganeti-rapi", "ganeti-luxid"] as const;
/** Daemons of every node, in the order in which they start. */
export const nodeDaemons = ["ganeti-noded", "ganeti-confd", "ganeti-mond"] as const;

export type DaemonName = (typeof masterDaemons)[number] | (typeof nodeDaemons)[number];

/** Starts a daemon that does not run. */
export async function startDaemon(
  initPid: number,
  node: ReferenceNode,
  daemon: DaemonName,
): Promise<void> {
  if (await daemonPid(initPid, node, daemon)) return;
  // Ganeti's script trusts no pid file that a daemon's own user could have written, not even a stale one.
  rmSync(pidFile(node, daemon), { force: true });
  const command = ["/usr/lib/ganeti/daemon-util", "start", daemon];
  mustSucceed(command, await runInside(initPid, node, command));
}

/** Ends a daemon, and waits for its end. */
export async function stopDaemon(
  initPid: number,
  node: ReferenceNode,
  daemon: DaemonName,
): Promise<void> {
  const pid = await daemonPid(initPid, node, daemon);
  if (pid === undefined) return;
  await runInside(initPid, node, ["kill", String(pid)]);
  while ((await daemonPid(initPid, node, daemon)) === pid) await sleep(50);
}

/** Id of a running daemon inside the bench. */
async function daemonPid(
  initPid: number,
  node: ReferenceNode,
  daemon: DaemonName,
): Promise<number | undefined> {
  let pid: number;
  try {
    pid = Number.parseInt(readFileSync(pidFile(node, daemon), "utf8"), 10);
  } catch {
    return undefined;
  }
  const { stdout } = await runInside(initPid, node, ["cat", `/proc/${pid}/cmdline`]);
  return stdout.includes(daemon) ? pid : undefined;
}

const pidFile = ({ runFolder }: ReferenceNode, daemon: DaemonName) =>
  join(runFolder, `${daemon}.pid`);

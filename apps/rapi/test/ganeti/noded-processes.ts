/** NodedProcesses: Ganeti's node daemon of one node with the children that serve its calls, for signals to all of them. */
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { ReferenceBench, ReferenceNode } from "@ganeti-ts/reference";
import { wordsOf } from "./traced-run.js";

/** Processes of a node's daemon, the daemon itself first. */
function pidsOf(bench: ReferenceBench, { name }: ReferenceNode): readonly number[] {
  const pids = bench
    .processes()
    .filter((pid) => wordsOf(pid).some((word) => word.endsWith("/ganeti-noded")))
    .filter((pid) => isOnNode(pid, name));
  return pids.toSorted(
    (one, other) => Number(pids.includes(parentOf(one))) - Number(pids.includes(parentOf(other))),
  );
}

function isOnNode(pid: number, name: string): boolean {
  return textOf(`/proc/${pid}/environ`).split("\0").includes(`GANETI_HOSTNAME=${name}`);
}

const parentOf = (pid: number): number =>
  Number(/^PPid:\s+(\d+)/m.exec(textOf(`/proc/${pid}/status`))?.[1]);

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** A process may have ended meanwhile. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Ends a node daemon and the calls that it carries out, as the end of its control group does. Programs of these go on. */
export async function killNoded(bench: ReferenceBench, node: ReferenceNode): Promise<void> {
  for (let pids = pidsOf(bench, node); pids.length > 0; pids = pidsOf(bench, node)) {
    for (const pid of pids) signal(pid, "SIGKILL");
    await pause(5);
  }
}

/**
 * Stops a node daemon with the calls that it carries out. The returned function lets these end before the daemon goes on:
 * a call that its caller gave up is then over before the daemon takes the next one.
 */
export function stopNoded(bench: ReferenceBench, node: ReferenceNode): () => Promise<void> {
  const stopped = new Set<number>();
  // A child may have been forked between two looks.
  for (let isDone = false; !isDone; ) {
    const fresh = pidsOf(bench, node).filter((pid) => !stopped.has(pid));
    isDone = fresh.length === 0;
    for (const pid of fresh) {
      signal(pid, "SIGSTOP");
      stopped.add(pid);
    }
  }
  return async () => {
    const [daemon, ...calls] = stopped;
    for (const pid of calls) signal(pid, "SIGCONT");
    while (pidsOf(bench, node).some((pid) => pid !== daemon)) await pause(5);
    if (daemon !== undefined) signal(daemon, "SIGCONT");
  };
}

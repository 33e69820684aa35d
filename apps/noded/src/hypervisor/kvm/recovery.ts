/** recoverInstances: what a daemon that has died in the middle of a call left behind, put in order at the next start. */
import { basename } from "node:path";
import { NodeFailure } from "../../failure.js";
import { exists, namesIn } from "../state-files.js";
import { cleanUp } from "./cleanup.js";
import type { KvmPorts } from "./ports.js";
import { endProcess, processOf } from "./process.js";
import { withQmp } from "./qmp.js";
import { loadRuntime } from "./runtime-files.js";

/** A monitor that does not answer must not keep the daemon from starting. */
const lookMs = 5_000;

/**
 * Removes files and interfaces of instances that do not run, and ends those whose start was interrupted before
 * their guest began: their machine would wait for ever, and count as running. Marks of guests that powered themselves off
 * stay, and so does a machine that waits for a migration: its source may still come. Links to disks stay as well: the
 * disks are active. Another daemon, such as Ganeti's, leaves interfaces when it ends an instance that this one has started.
 */
export async function recoverInstances(ports: KvmPorts): Promise<void> {
  const { context, files } = ports;
  for (const name of await knownNames(ports)) {
    try {
      if ((await processOf(files, name)) !== null) {
        if (!(await isUnfinished(ports, name))) continue;
        context.log.warn(`${name}: its start was interrupted; ending it`);
        await endProcess(context, files, name);
      } else if (await exists(files.of(name).shutdownMark)) continue;
      await cleanUp(ports, name);
    } catch (error) {
      if (!(error instanceof NodeFailure)) throw error;
      context.log.warn(`${name}: its remains could not be removed: ${error.message}`);
    }
  }
  await removeUnusedTaps(ports);
}

async function removeUnusedTaps({ context, files, taps }: KvmPorts): Promise<void> {
  try {
    for (const [tap, name] of await taps.unused()) {
      if ((await processOf(files, name)) === null) await taps.remove(tap, name);
    }
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error;
    context.log.warn(`unused interfaces could not be removed: ${error.message}`);
  }
}

/** Instances of which there is any file. */
async function knownNames({ files }: KvmPorts): Promise<ReadonlySet<string>> {
  const named = await Promise.all([files.pids, files.uids, files.nics, files.chroots].map(namesIn));
  const runtimes = (await namesIn(files.runtimes)).filter((file) => file.endsWith(".runtime"));
  return new Set([...named.flat(), ...runtimes.map((file) => basename(file, ".runtime"))]);
}

/** The guest has not begun, although it was not to be started paused. */
async function isUnfinished(ports: KvmPorts, name: string): Promise<boolean> {
  try {
    const { status } = (await withQmp(
      ports.files.of(name).qmp,
      (qmp) => qmp.execute("query-status"),
      lookMs,
    )) as { readonly status: string };
    return status === "prelaunch" && !(await loadRuntime(ports, name)).words.includes("-S");
  } catch (error) {
    if (error instanceof NodeFailure) return false;
    throw error;
  }
}

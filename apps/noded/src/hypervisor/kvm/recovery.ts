/** recoverInstances: cleans up at the start of the daemon after calls that its predecessor left unfinished. */
import { basename } from "node:path";
import { faultOf, NodeFailure } from "../../failure.js";
import { exists, namesIn } from "../state-files.js";
import { cleanUp } from "./cleanup.js";
import type { KvmPorts } from "./ports.js";
import { endProcess, processOf } from "./process.js";
import { withQmp } from "./qmp.js";
import { loadRuntime } from "./runtime-files.js";

/** Time limit (ms) for a monitor, so that one that does not answer cannot prevent the daemon from starting. */
const lookMs = 5_000;

/**
 * Removes files and interfaces of instances that do not run, and ends QEMU processes whose start was interrupted before
 * their guest started: they would wait forever and count as running. Marks of guests that powered themselves off stay. A
 * QEMU that waits for a migration stays too, because the source may still connect, and so do links to disks, which are
 * active. Ganeti's daemon leaves interfaces behind when it ends an instance that this one has started.
 */
export async function recoverInstances(ports: KvmPorts): Promise<void> {
  const { context, files } = ports;
  for (const name of await knownNames(ports)) {
    const fault = await faultOf(async () => {
      if ((await processOf(files, name)) !== null) {
        if (!(await isUnfinished(ports, name))) return;
        context.log.warn(`${name}: its start was interrupted; ending it`);
        await endProcess(context, files, name);
      } else if (await exists(files.of(name).shutdownMark)) return;
      await cleanUp(ports, name);
    });
    if (fault !== null) context.log.warn(`${name}: its remains could not be removed: ${fault}`);
  }
  await removeUnusedTaps(ports);
}

async function removeUnusedTaps({ context, files, taps }: KvmPorts): Promise<void> {
  const fault = await faultOf(async () => {
    for (const [tap, name] of await taps.unused()) {
      if ((await processOf(files, name)) === null) await taps.remove(tap, name);
    }
  });
  if (fault !== null) context.log.warn(`unused interfaces could not be removed: ${fault}`);
}

/** Names of instances with at least one file. */
async function knownNames({ files }: KvmPorts): Promise<ReadonlySet<string>> {
  const named = await Promise.all([files.pids, files.uids, files.nics, files.chroots].map(namesIn));
  const runtimes = (await namesIn(files.runtimes)).filter((file) => file.endsWith(".runtime"));
  return new Set([...named.flat(), ...runtimes.map((file) => basename(file, ".runtime"))]);
}

/** Whether the guest has not started although it was not meant to start paused. */
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

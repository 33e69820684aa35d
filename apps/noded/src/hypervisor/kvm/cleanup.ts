/** Removal of what an instance that has ended leaves behind. */
import { rename, rm, rmdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { NodeFailure } from "../../failure.js";
import { makeFolder, namesIn, readIfThere, removeIfThere } from "../state-files.js";
import { releaseUid } from "../uid-pool.js";
import type { KvmPorts } from "./ports.js";
import { processOf } from "./process.js";

type Ports = Pick<KvmPorts, "context" | "files" | "taps">;

export async function cleanUp(ports: Ports, name: string): Promise<void> {
  const { context, files } = ports;
  if ((await processOf(files, name)) !== null) {
    throw new NodeFailure("Cannot cleanup a live instance");
  }
  const own = files.of(name);
  for (const path of [own.pid, own.monitor, own.serial, own.qmp, own.guestAgent, own.watch]) {
    await removeIfThere(path);
  }
  await removeIfThere(own.runtime);
  const uid = await readIfThere(own.uid);
  if (uid !== null && /^\d+\s*$/.test(uid)) await releaseUid(context, Number(uid));
  await removeIfThere(own.uid);
  await removeInterfaces(ports, name);
  await emptyChroot(ports, own.chroot);
  await removeIfThere(own.shutdownMark);
}

/** Interfaces that were made for the instance, and the files that name them. */
export async function removeInterfaces({ files, taps }: Ports, name: string): Promise<void> {
  const { nics } = files.of(name);
  for (const index of await namesIn(nics)) {
    const tap = await readIfThere(join(nics, index));
    if (tap !== null && tap !== "") await taps.remove(tap.trim(), name);
  }
  await rm(nics, { recursive: true, force: true });
}

/** A directory in which something was left is kept for the administrator. */
async function emptyChroot({ context, files }: Ports, chroot: string): Promise<void> {
  try {
    await rmdir(chroot);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return;
    if (code !== "ENOTEMPTY") throw error;
    await makeFolder(files.quarantine, 0o775);
    const kept = join(files.quarantine, `${basename(chroot)}-${context.clock.wallMicros()}`);
    await rename(chroot, kept);
    context.log.warn(`The chroot directory of ${basename(chroot)} is not empty; kept as ${kept}`);
  }
}

/** Cleanup after an instance that has ended. */
import { rename, rm, rmdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { NodeFailure } from "../../failure.js";
import { makeFolder, namesIn, readIfThere, removeIfThere } from "../state-files.js";
import { releaseUid } from "../uid-pool.js";
import type { KvmPorts } from "./ports.js";
import { processOf } from "./process.js";

type Ports = Pick<KvmPorts, "context" | "files" | "taps">;

export async function cleanUp(ports: Ports, name: string): Promise<void> {
  const { files } = ports;
  if ((await processOf(files, name)) !== null) {
    throw new NodeFailure("Cannot cleanup a live instance");
  }
  const own = files.of(name);
  for (const path of [own.pid, own.monitor, own.serial, own.qmp, own.guestAgent, own.watch]) {
    await removeIfThere(path);
  }
  await removeIfThere(own.runtime);
  await giveUidBack(ports, own.uid);
  await removeInterfaces(ports, name);
  await emptyChroot(ports, own.chroot);
  await removeIfThere(own.shutdownMark);
}

/** Releases the pool id in the file, unless another instance has taken it meanwhile. */
async function giveUidBack({ context, files }: Ports, file: string): Promise<void> {
  const uidIn = async (path: string): Promise<string | undefined> =>
    /^\d+(?=\s*$)/.exec((await readIfThere(path)) ?? "")?.[0];
  const uid = await uidIn(file);
  await removeIfThere(file);
  if (uid === undefined) return;
  await releaseUid(context, Number(uid), async () => {
    const names = await namesIn(files.uids);
    const others = await Promise.all(names.map((name) => uidIn(join(files.uids, name))));
    return others.includes(uid);
  });
}

/** Removes the interfaces that were created for the instance, and the files with their names. */
export async function removeInterfaces({ files, taps }: Ports, name: string): Promise<void> {
  const { nics } = files.of(name);
  for (const index of await namesIn(nics)) {
    const tap = await readIfThere(join(nics, index));
    if (tap !== null && tap !== "") await taps.remove(tap.trim(), name);
  }
  await rm(nics, { recursive: true, force: true });
}

/** Removes the chroot directory; one that is not empty is kept for the administrator. */
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

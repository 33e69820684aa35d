/** recoverNode: cleans up after a daemon that was killed during calls, before the next call is accepted. */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { NodeContext } from "../context.js";
import { ifMissing } from "../failure.js";
import { endLeftPrograms } from "../machine/left-programs.js";
import type { NodePaths } from "../machine/paths.js";
import { recoverTransfers } from "../transfer/transfer-calls.js";

/** Records of programs that are to end with the daemon. */
export const programsFolder = (paths: Pick<NodePaths, "run">): string =>
  join(paths.run, "ganeti-ts-programs");

/**
 * Ends scripts and copies that the dead daemon was running, and removes transfers and certificates whose names no caller has
 * received, and temporary files that were about to replace others. Each hypervisor recovers its own instances.
 */
export async function recoverNode(context: NodeContext): Promise<void> {
  const { paths, log } = context;
  for (const pid of endLeftPrograms(programsFolder(paths))) {
    log.warn(`ended process group ${pid}, which was working for a call that is lost`);
  }
  await recoverTransfers(context);
  await removeMatching(paths.crypto, /^x509-.*\.new$/);
  for (const folder of replacedIn(paths)) await removeMatching(folder, /[0-9a-f]{12}\.new$/);
}

/** Directories in which files are replaced atomically, so that temporary files may be left behind. */
const replacedIn = ({ data, conf, run }: NodePaths): readonly string[] => [
  ...[data, join(data, "queue"), join(data, "rapi"), conf],
  ...["conf", "uid", "nic"].map((name) => join(run, "kvm-hypervisor", name)),
  join(run, "instance-reason"),
];

async function removeMatching(folder: string, pattern: RegExp): Promise<void> {
  for (const name of await readdir(folder).catch(ifMissing<string[]>([]))) {
    if (pattern.test(name)) await rm(join(folder, name), { recursive: true, force: true });
  }
}

/** Adapts runtimes from nodes that use other directories than this node. */
import { dirname } from "node:path";
import type { InstanceOnNode } from "@ganeti-ts/node-calls";
import type { DiskLinks } from "../../storage/disk-links.js";
import type { InstanceFiles } from "./files.js";
import type { Runtime } from "./runtime.js";

/** Run directory of a node, derived from the path of a pid file: `RUN/kvm-hypervisor/pid/NAME`. */
const runFolder = (pid: string): string => dirname(dirname(dirname(pid)));

/** The same runtime with the paths of this node in its command line and its links. */
export function relocated(runtime: Runtime, files: InstanceFiles, logs: string): Runtime {
  const after = (option: string): string => {
    const at = runtime.words.indexOf(option);
    return at < 0 ? "" : String(runtime.words[at + 1] ?? "");
  };
  const pid = after("-pidfile");
  const log = after("-D");
  const moves = [
    [runFolder(pid), runFolder(files.pid)],
    [dirname(log), logs],
  ].filter(([from, to]) => from !== "." && from !== to);
  if (pid === "" || moves.length === 0) return runtime;
  const moved = (text: string): string =>
    moves.reduce((word, [from = "", to = ""]) => word.replaceAll(`${from}/`, `${to}/`), text);
  return {
    ...runtime,
    words: runtime.words.map((word) => (typeof word === "string" ? moved(word) : word)),
    disks: runtime.disks.map((one) => ({ ...one, link: one.link && moved(one.link) })),
  };
}

/**
 * The same runtime with the current links of its disks. Links contain the position of the disk in the configuration, which
 * changes when a disk is removed or added while the instance runs, so that a stored link may lead to another disk.
 */
export function withPresentLinks(
  runtime: Runtime,
  { name, disks }: Pick<InstanceOnNode, "name" | "disks">,
  { pathOf }: Pick<DiskLinks, "pathOf">,
): Runtime {
  const linkOf = (uuid: unknown, kept: string | null): string | null => {
    const index = disks.findIndex((disk) => disk.uuid === uuid);
    return kept === null || index < 0 ? kept : pathOf(name, index);
  };
  return {
    ...runtime,
    disks: runtime.disks.map((one) => ({ ...one, link: linkOf(one.disk.uuid, one.link) })),
  };
}

/** Runtimes from nodes whose directories are others than those of this node. */
import { dirname } from "node:path";
import type { InstanceFiles } from "./files.js";
import type { Runtime } from "./runtime.js";

/** Directory with the state of a node, seen from one of its pid files: `RUN/kvm-hypervisor/pid/NAME`. */
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

/** Memory and processors of the machine, as Linux reports them. */
import { readFileSync } from "node:fs";
import type { HypervisorFigures, InstanceOnNode } from "@ganeti-ts/node-calls";

/** Each size is rounded down to MiB before sizes are added, as Ganeti does. */
function memoryFigures(
  meminfo: string,
): Pick<HypervisorFigures, "memoryTotalMib" | "memoryFreeMib" | "memoryNodeMib"> {
  const sizes = new Map(
    [...meminfo.matchAll(/^(\w+)(?:\(\w+\))?:\s+(\d+) kB$/gm)].map(([, name, kib]) => [
      name,
      Math.floor(Number(kib) / 1024),
    ]),
  );
  const size = (name: string): number => sizes.get(name) ?? 0;
  return {
    memoryTotalMib: size("MemTotal"),
    memoryFreeMib: size("MemFree") + size("Buffers") + size("Cached"),
    memoryNodeMib: size("Active"),
  };
}

const processorCount = (cpuinfo: string): number =>
  [...cpuinfo.matchAll(/^processor\s*:\s*\d+$/gm)].length;

/** Figures of this machine, read from /proc synchronously: files of the kernel are in memory, so a thread would cost more. */
export function machineFigures(): HypervisorFigures {
  const count = processorCount(readFileSync("/proc/cpuinfo", "utf8"));
  return {
    ...memoryFigures(readFileSync("/proc/meminfo", "utf8")),
    ...{ cpuTotal: count, cpuNode: count, cpuNodes: 1, cpuSockets: 1 },
  };
}

/** Memory (MiB) with which an instance starts: its maximum, or less if the node has less free memory. */
export function startMemoryMib(
  { beparams }: Pick<InstanceOnNode, "beparams">,
  { memoryFreeMib }: Pick<HypervisorFigures, "memoryFreeMib">,
): number {
  const { minmem, maxmem } = beparams;
  return Math.max(Number(minmem), Math.min(Number(maxmem), memoryFreeMib));
}

/** Collector of the CPU load: averages over the last minutes, by CPU. */
import { readFileSync } from "node:fs";
import type { Clock } from "@ganeti-ts/protocol";

/** Data of the report. A load is the busy fraction of a CPU, from 0 to 1; the total is their sum. */
export interface CpuLoad {
  readonly cpu_number: number;
  readonly cpus: readonly number[];
  readonly cpu_total: number;
}

interface Ticks {
  readonly busy: number;
  readonly all: number;
}

const everyMs = 5_000;
/** Number of samples that span 150 s. */
const samplesMax = 31;

/** Parses the lines `cpuN …` of /proc/stat. Time spent waiting for disks counts as idle. */
export function readTicks(text: string): readonly Ticks[] {
  return [...text.matchAll(/^cpu\d+ (.*)$/gm)].map(([, line = ""]) => {
    // user nice system idle iowait irq softirq steal; guests are part of user and nice.
    const ticks = line.trim().split(/\s+/).slice(0, 8).map(Number);
    const all = ticks.reduce((sum, one) => sum + one, 0);
    return { busy: all - (ticks[3] ?? 0) - (ticks[4] ?? 0), all };
  });
}

/** Load between two samples; null if they contain no CPU, or the number of CPUs has changed. */
export function loadBetween(first: readonly Ticks[], last: readonly Ticks[]): CpuLoad | null {
  if (first.length !== last.length || last.length === 0) return null;
  const cpus = last.map(({ busy, all }, cpu) => {
    const before = first[cpu] ?? { busy: 0, all: 0 };
    return all > before.all ? Math.max(0, busy - before.busy) / (all - before.all) : 0;
  });
  const total = cpus.reduce((sum, one) => sum + one, 0);
  return { cpu_number: cpus.length, cpus, cpu_total: total };
}

export interface CpuLoadCollector {
  /** Null before the second sample. */
  load(): CpuLoad | null;
  stop(): void;
}

/** Takes a sample every 5 s until it is stopped. */
export function cpuLoadCollector(
  clock: Pick<Clock, "after">,
  read: () => string = () => readFileSync("/proc/stat", "utf8"),
): CpuLoadCollector {
  const samples: (readonly Ticks[])[] = [];
  let cancel = (): void => {};
  const sample = (): void => {
    samples.push(readTicks(read()));
    if (samples.length > samplesMax) samples.shift();
    cancel = clock.after(everyMs, sample);
  };
  sample();
  return {
    load: () => (samples.length < 2 ? null : loadBetween(samples[0] ?? [], samples.at(-1) ?? [])),
    stop: () => cancel(),
  };
}

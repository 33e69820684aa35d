/**
 * Misfits: reasons why a node cannot take an instance. Small integers, so that millions of refusals can be
 * counted.
 */

/** In the order in which Ganeti prints them. */
export const misfitNames = [
  "FailMem",
  "FailDisk",
  "FailCPU",
  "FailN1",
  "FailTags",
  "FailMig",
  "FailDiskCount",
  "FailSpindles",
  "FailInternal",
] as const;

export type MisfitName = (typeof misfitNames)[number];

/** Index into `misfitNames`, or `fits`. */
export type Misfit = number;

export const fits: Misfit = -1;
export const failMem: Misfit = 0;
export const failDisk: Misfit = 1;
export const failCpu: Misfit = 2;
export const failN1: Misfit = 3;
export const failTags: Misfit = 4;
export const failMig: Misfit = 5;
export const failDiskCount: Misfit = 6;
export const failSpindles: Misfit = 7;

/** Number of occurrences of each reason, in the order of `misfitNames`. */
export class MisfitCounts {
  // A plain array: counts are created by the thousand, and a typed array takes ten times as long to create.
  private readonly counts: number[] = [0, 0, 0, 0, 0, 0, 0, 0, 0];

  add(misfit: Misfit, times = 1): void {
    this.counts[misfit] = (this.counts[misfit] as number) + times;
  }

  addAll(others: MisfitCounts, times: number): void {
    for (let misfit = 0; misfit < misfitNames.length; misfit++) {
      this.add(misfit, times * others.of(misfit));
    }
  }

  of(misfit: Misfit): number {
    return this.counts[misfit] as number;
  }

  get total(): number {
    return this.counts.reduce((sum, count) => sum + count, 0);
  }

  /** Ganeti's notation, `FailMem: 4, FailDisk: 2`; empty if nothing was refused. */
  toString(): string {
    return misfitNames
      .map((name, index) => ({ name, count: this.counts[index] as number }))
      .filter(({ count }) => count > 0)
      .map(({ name, count }) => `${name}: ${count}`)
      .join(", ");
  }
}

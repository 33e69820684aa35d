// How thorough tests are, as the test kit says for packages that may depend on it.

/** Whether every case and every run is wanted, as in the long checks. */
export const isThorough = process.env.GANETI_TS_TESTS === "all";

/** Number of runs of a random test that has `count` runs in the long checks: a quarter of them in the usual suite. */
export const randomRuns = (count: number): number => (isThorough ? count : Math.ceil(count / 4));

/** Balancing steps as job sets. */
import { type BalanceStep, type Cluster, moveJob } from "@ganeti-ts/htools";
import type { JobSet } from "./execute.js";
import type { Job } from "./job-runner.js";

/** @param describe begins the description of a set, followed by its instances */
export const moveSets = (
  cluster: Cluster,
  sets: readonly (readonly BalanceStep[])[],
  describe: string,
): JobSet[] =>
  sets.map((steps) => ({
    description: `${describe} ${steps.map(({ index }) => cluster.data.instances[index]?.name).join(",")}`,
    jobs: steps.map((step) => moveJob(cluster, step) as Job),
  }));

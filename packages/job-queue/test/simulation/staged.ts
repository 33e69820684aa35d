// Cases that random runs rarely contain, constructed in each run of a broken copy that needs them.
import type { JsonObject } from "@ganeti-ts/protocol";
import type { JobQueue } from "../../src/index.js";

export interface Staged {
  /** The first workers: whether each of them runs jobs. */
  readonly workers: readonly boolean[];
  /** The worker that gets the jobs. */
  readonly client: number;
  readonly jobs: readonly JsonObject[];
  /** A rule that lets one job run at a time. */
  readonly isLimited?: boolean;
  /** The first process in which an operation ends dies before, or is frozen for longer than its lease. */
  readonly inOperation?: "dies" | "freezes";
}

const job = (locks: readonly string[]): JsonObject => ({
  OP_ID: "OP_A",
  locks: locks.map((name) => [name, "exclusive"]),
  does: "ends",
  takesMs: 5000,
  priority: 0,
  depends: null,
  reason: [],
});

const free = Array.from({ length: 4 }, () => job([]));
/** One runs, the others wait for its lock. */
const excluding = Array.from({ length: 3 }, () => job(["instance/staged"]));

export const stagedCases = {
  "a dead worker": { workers: [true, true], client: 0, jobs: excluding, inOperation: "dies" },
  "a late worker": { workers: [true, true], client: 0, jobs: excluding, inOperation: "freezes" },
  "a limit": { workers: [true], client: 0, jobs: free, isLimited: true },
  "jobs of another": { workers: [true, false], client: 1, jobs: free },
} satisfies Record<string, Staged>;

export async function submitStaged(queue: JobQueue, staged: Staged): Promise<void> {
  if (staged.isLimited)
    await queue.addRule({ priority: 0, predicates: [], action: ["RATE_LIMIT", 1] });
  for (const opcode of staged.jobs) await queue.submit([opcode]);
}

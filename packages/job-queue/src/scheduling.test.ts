import { type FilterableJob, pass } from "@ganeti-ts/job-filter";
import type { FilterRule, FilterUuid, Job, JobId } from "@ganeti-ts/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { entryOf, Image } from "./image.js";
import { jobPriorityOf } from "./job-status.js";
import { choose } from "./scheduling.js";
import { defaultSettings } from "./store.js";

interface Wish {
  readonly isClaimed: boolean;
  readonly priority: number;
  readonly name: string;
  readonly reason: string;
  readonly depends: readonly number[];
}

const wish = fc.record({
  isClaimed: fc.boolean(),
  priority: fc.constantFrom(-10, 0, 0, 10),
  name: fc.constantFrom("OP_A", "OP_B"),
  reason: fc.constantFrom("", "", "rate-limit:1:x", "rate-limit:2:y"),
  depends: fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 2 }),
});

const rule = fc.record({
  priority: fc.nat(2),
  name: fc.constantFrom("OP_A", "OP_B", undefined),
  action: fc.constantFrom<FilterRule["action"]>(
    "ACCEPT",
    "PAUSE",
    "REJECT",
    "CONTINUE",
    ["RATE_LIMIT", 1],
    ["RATE_LIMIT", 2],
  ),
});

const jobOf = ({ name, priority, reason, depends }: Wish, id: number): Job => ({
  id: id as JobId,
  opcodes: [
    {
      input: {
        OP_ID: name,
        depends: depends.map((one) => [one, []]),
        reason: [["me", reason, 1n]],
      },
      ...{
        status: "queued",
        result: null,
        log: [],
        priority,
        started: null,
        executed: null,
        ended: null,
      },
    },
  ],
  ...{ received: null, started: null, ended: null },
});

test("the pass that is made after every change chooses what the plain one chooses", () => {
  const seen = { started: 0, rejected: 0, held: 0 };
  fc.assert(
    fc.property(
      fc.array(wish, { maxLength: 10 }),
      fc.array(rule, { maxLength: 3 }),
      fc.nat(6),
      fc.nat(6),
      (wishes, given, runningMax, capacity) => {
        const rules = given.map(({ priority, name, action }, at) => ({
          ...{ uuid: `00000000-0000-4000-8000-00000000000${at}` as FilterUuid },
          ...{ watermark: 0 as JobId, priority, action },
          ...{ predicates: name ? [["opcode", ["==", "OP_ID", name]]] : [], reason_trail: [] },
        })) as FilterRule[];
        const image = new Image();
        image.assign({ rules, settings: { ...defaultSettings, runningMax } });
        const claim = { worker: 1, fence: 1 };
        // In any order, as jobs become known.
        for (const [at, one] of [...wishes.entries()].toSorted((a, b) => (a[0] % 3) - (b[0] % 3))) {
          const job = jobOf(one, at + 1);
          image.set(job.id, entryOf(job, one.isClaimed ? claim : null, undefined));
        }
        const judged = [...image.entries()].map((entry) => ({ entry, job: filterable(entry.job) }));
        const plain = pass({
          queued: judged.filter(({ entry }) => entry.claim === null).map(({ job }) => job),
          claimed: judged.filter(({ entry }) => entry.claim !== null).map(({ job }) => job),
          ...{ chain: image.chain, runningMax },
        });
        const { rejected, started } = choose(image, capacity);
        const ids = (jobs: readonly { readonly job: { readonly id: number } }[]) =>
          jobs.map(({ job }) => job.id);
        expect(ids(rejected).toSorted((a, b) => a - b)).toEqual(ids(plain.cancel));
        expect(ids(started)).toEqual(plain.start.slice(0, capacity).map(({ id }) => id));
        seen.started += started.length;
        seen.rejected += rejected.length;
        seen.held += plain.held.length;
      },
    ),
    { numRuns: 500 },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(20);
});

const filterable = (job: Job): FilterableJob => ({
  ...{ id: job.id, priority: jobPriorityOf(job.opcodes) },
  inputs: job.opcodes.map(({ input }) => input),
});

test("what a step changed and did not keep leaves no trace, also in the order of jobs", () => {
  const image = new Image();
  const put = (id: number, priority: number, isClaimed = false) => {
    const job = jobOf({ isClaimed, priority, name: "OP_A", reason: "", depends: [] }, id);
    image.set(job.id, entryOf(job, isClaimed ? { worker: 1, fence: 1 } : null, image.get(job.id)));
  };
  const order = () => [...image.candidates()].map(({ job }) => job.id);
  for (const [id, priority] of [
    [1, 0],
    [2, 10],
    [3, 0],
  ] as const)
    put(id, priority);
  image.keep();
  expect(order()).toEqual([1, 3, 2]);
  put(1, 0, true);
  put(2, -10);
  put(4, 0);
  image.set(3 as JobId, undefined);
  image.assign({ serial: 9 });
  expect(order()).toEqual([2, 4]);
  image.rollback();
  expect([order(), [...image.claimed], image.serial, image.size]).toEqual([[1, 3, 2], [], 0, 3]);
});

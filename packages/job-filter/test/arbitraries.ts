/** Random queues and rules, dense enough that rules, buckets and limits get in each other's way. */
import fc from "fast-check";
import type { ShortJob, ShortRule } from "./builders.js";

const opcodeNames = ["OP_A", "OP_B", "OP_C"];
const texts = ["rate-limit:1:x", "rate-limit:2:x", "rate-limit:2:y", "rate-limit:0:z", "ticket 7"];

const aReason = fc.constantFrom(...texts);

const jobs = fc.uniqueArray(
  fc.record({
    id: fc.integer({ min: 1, max: 16 }),
    ops: fc.array(fc.constantFrom(...opcodeNames), { minLength: 1, maxLength: 3 }),
    priority: fc.constantFrom(-10, 0, 0, 0, 10),
    reasons: fc.array(aReason, { maxLength: 2 }),
    depends: fc.array(fc.integer({ min: 1, max: 16 }), { maxLength: 1 }),
    claimed: fc.boolean(),
  }),
  { selector: ({ id }) => id, maxLength: 12 },
);

const expression = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { depthSize: "small" },
    fc.tuple(
      fc.constantFrom("==", "!=", "=~"),
      fc.constant("OP_ID"),
      fc.constantFrom(...opcodeNames),
    ),
    fc.tuple(fc.constantFrom("<", ">=", "=="), fc.constant("id"), fc.integer({ min: 1, max: 16 })),
    fc.tuple(fc.constantFrom("<", ">"), fc.constant("id"), fc.constant("watermark")),
    fc.tuple(
      fc.constantFrom("=~", "=="),
      fc.constant("reason"),
      fc.constantFrom("rate", "ticket 7"),
    ),
    fc.tuple(fc.constant("?"), fc.constantFrom("id", "OP_ID", "nosuch")),
    fc
      .tuple(fc.constantFrom("&", "|"), fc.array(tie("any"), { maxLength: 2 }))
      .map(([operator, parts]) => [operator, ...parts]),
    tie("any").map((part) => ["!", part]),
  ),
})).any;

const rules = fc.array(
  fc.record<ShortRule>({
    priority: fc.nat({ max: 2 }),
    watermark: fc.nat({ max: 16 }),
    predicates: fc.array(fc.tuple(fc.constantFrom("jobid", "opcode", "reason"), expression), {
      maxLength: 2,
    }),
    action: fc.constantFrom(
      "ACCEPT",
      "PAUSE",
      "REJECT",
      "CONTINUE",
      ["RATE_LIMIT", 1],
      ["RATE_LIMIT", 2],
    ),
  }),
  { maxLength: 4 },
);

export interface Scene {
  readonly rules: readonly ShortRule[];
  readonly queued: readonly ShortJob[];
  readonly claimed: readonly ShortJob[];
  readonly runningMax: number;
}

export const scenes: fc.Arbitrary<Scene> = fc
  .record({ rules, jobs, runningMax: fc.integer({ min: 1, max: 8 }) })
  .map(({ rules, jobs, runningMax }) => ({
    rules,
    queued: jobs.filter(({ claimed }) => !claimed),
    claimed: jobs.filter(({ claimed }) => claimed),
    runningMax,
  }));

import type { FilterPredicate, Json } from "@ganeti-ts/protocol";
import { compilePattern } from "@ganeti-ts/query";
import { expect, test } from "vitest";
import { bucketOf, pass, ruleChain } from "../src/index.js";
import { aJob, type ShortJob, type ShortRule, someRules } from "./builders.js";
import buckets from "./vectors/buckets.json" with { type: "json" };
import passes from "./vectors/passes.json" with { type: "json" };
import predicates from "./vectors/predicates.json" with { type: "json" };
import sequences from "./vectors/sequences.json" with { type: "json" };

interface Vector {
  readonly rules: readonly ShortRule[];
  readonly queued: readonly ShortJob[];
  readonly claimed: readonly ShortJob[];
  readonly runningMax?: number;
}

function outcome({ rules, queued, claimed, runningMax = 20 }: Vector) {
  const { cancel, start, held, pause } = pass({
    queued: queued.map(aJob),
    claimed: claimed.map(aJob),
    chain: ruleChain(someRules(rules), compilePattern),
    runningMax,
  });
  return {
    canceled: cancel.map(({ job }) => job.id),
    started: start.map(({ id }) => id),
    held: Object.fromEntries(
      held.map(({ job, causes }) => [job.id, causes.map(({ kind }) => kind)]),
    ),
    paused: pause.map(({ job }) => job.id),
  };
}

test.each(passes)("pass $name", (vector) => {
  const { canceled, started, held } = outcome(vector as Vector);
  expect({ canceled, started, held }).toEqual({
    canceled: vector.canceled,
    started: vector.started,
    held: vector.held,
  });
});

test.each(sequences)("sequence $name", ({ steps }) => {
  for (const step of steps) {
    const { canceled, started, held, paused, say } = step;
    expect({ say, ...outcome(step as Vector) }).toEqual({ say, canceled, started, held, paused });
  }
});

test.each(predicates.cases)("$predicate matches: $matches", ({ predicate, matches }) => {
  const rule: ShortRule = {
    priority: 0,
    watermark: predicates.watermark,
    predicates: [predicate as unknown as FilterPredicate],
    action: "PAUSE",
  };
  const job = { ...aJob({ id: predicates.id, ops: [] }), inputs: [predicates.opcode as Json] };
  expect(ruleChain(someRules([rule]), compilePattern).applying(job) !== undefined).toBe(matches);
});

test.each(buckets)("$text holds $limit jobs", ({ text, limit }) => {
  expect(bucketOf(text)).toEqual(limit === null ? undefined : { text, limit });
});

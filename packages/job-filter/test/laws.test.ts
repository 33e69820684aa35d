import type { FilterRule } from "@ganeti-ts/protocol";
import { compilePattern } from "@ganeti-ts/query";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type FilterableJob,
  type HoldCause,
  type PassResult,
  pass,
  ruleChain,
} from "../src/index.js";
import { type Scene, scenes } from "./arbitraries.js";
import { aJob, someRules } from "./builders.js";
import { applyingRule, bucketsOf, opcodesOf } from "./oracle.js";

interface Played {
  readonly rules: readonly FilterRule[];
  readonly queued: readonly FilterableJob[];
  readonly claimed: readonly FilterableJob[];
  readonly runningMax: number;
  readonly result: PassResult<FilterableJob>;
}

function played(scene: Scene): Played {
  const rules = someRules(scene.rules);
  const queued = scene.queued.map(aJob);
  const claimed = scene.claimed.map(aJob);
  const { runningMax } = scene;
  const result = pass({ queued, claimed, chain: ruleChain(rules, compilePattern), runningMax });
  return { rules, queued, claimed, runningMax, result };
}

function always(law: (played: Played) => void, numRuns = 1000): void {
  fc.assert(
    fc.property(scenes, (scene) => law(played(scene))),
    { numRuns },
  );
}

const ids = (jobs: readonly FilterableJob[]) => jobs.map(({ id }) => id);
const inStartOrder = (jobs: readonly FilterableJob[]) =>
  ids(jobs.toSorted((a, b) => a.priority - b.priority || a.id - b.id));
const limitOf = (rule: FilterRule | undefined) =>
  typeof rule?.action === "object" ? rule.action[1] : undefined;

test("every queued job is canceled, started or held, the last two in the order of starting", () => {
  const seen = { canceled: 0, started: 0, held: 0 };
  always(({ queued, result: { cancel, start, held } }) => {
    const canceled = new Set(cancel.map(({ job }) => job.id));
    const others = inStartOrder(queued.filter(({ id }) => !canceled.has(id)));
    const startedIds = new Set(ids(start));
    expect(ids(start)).toEqual(others.filter((id) => startedIds.has(id)));
    expect(held.map(({ job }) => job.id)).toEqual(others.filter((id) => !startedIds.has(id)));
    seen.canceled += cancel.length;
    seen.started += start.length;
    seen.held += held.length;
  });
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(100);
});

test("canceled are exactly the queued jobs whose rule is REJECT, paused the claimed ones with PAUSE", () => {
  always(({ rules, queued, claimed, result: { cancel, pause } }) => {
    const applying = (job: FilterableJob, action: string) =>
      applyingRule(rules, job)?.action === action;
    expect(cancel.map(({ job }) => job.id)).toEqual(
      ids(queued.filter((job) => applying(job, "REJECT"))).sort((a, b) => a - b),
    );
    expect(pause.map(({ job }) => job.id)).toEqual(
      ids(claimed.filter((job) => applying(job, "PAUSE"))),
    );
    for (const { job, rule } of [...cancel, ...pause]) expect(rule).toBe(applyingRule(rules, job));
  });
});

test("a job starts exactly when no cause holds it, counted again before each start", () => {
  const seen = new Map<string, number>();
  always(({ rules, queued, claimed, runningMax, result }) => {
    const canceled = new Set(result.cancel.map(({ job }) => job.id));
    const started = new Map(result.start.map((job) => [job.id, job]));
    const causes = new Map(result.held.map((held) => [held.job.id, held.causes]));
    const byId = new Map(queued.map((job) => [job.id, job]));
    const candidates = inStartOrder(queued.filter(({ id }) => !canceled.has(id)));
    const waitedFor = new Set([...candidates, ...ids(claimed)]);
    const underWay = [...claimed];
    for (const id of candidates) {
      const job = byId.get(id) as FilterableJob;
      const expected = causesByTheLetter(job, rules, underWay, runningMax, waitedFor);
      for (const cause of expected) seen.set(cause.kind, (seen.get(cause.kind) ?? 0) + 1);
      expect(causes.get(id) ?? []).toEqual(expected);
      expect(started.has(id)).toBe(expected.length === 0);
      if (started.has(id)) underWay.push(job);
    }
  });
  expect(Object.keys(Object.fromEntries(seen)).toSorted()).toEqual([
    "bucket",
    "dependency",
    "paused",
    "rate_limit",
    "running_limit",
  ]);
  for (const count of seen.values()) expect(count).toBeGreaterThan(50);
});

function causesByTheLetter(
  job: FilterableJob,
  rules: readonly FilterRule[],
  underWay: readonly FilterableJob[],
  runningMax: number,
  waitedFor: ReadonlySet<number>,
): HoldCause[] {
  const causes: HoldCause[] = [];
  const dependencies = opcodesOf(job).flatMap(({ depends }) => depends ?? []);
  const jobs = [...new Set(dependencies.map(([id]) => id))].filter(
    (id) => id < job.id && waitedFor.has(id),
  );
  if (jobs.length > 0) causes.push({ kind: "dependency", jobs: jobs as unknown as HoldJobs });
  const applying = applyingRule(rules, job);
  const rule = applying && { uuid: applying.uuid, reasonTrail: applying.reason_trail };
  if (rule && applying?.action === "PAUSE") causes.push({ kind: "paused", rule });
  const limit = limitOf(applying);
  const ofRule = underWay.filter((other) => applyingRule(rules, other) === applying);
  if (rule && limit !== undefined && ofRule.length >= limit) {
    causes.push({ kind: "rate_limit", rule, limit, members: ids(ofRule) });
  }
  for (const [bucket, limit] of bucketsOf(job)) {
    const members = ids(underWay.filter((other) => bucketsOf(other).has(bucket)));
    if (members.length >= limit) causes.push({ kind: "bucket", bucket, limit, members });
  }
  if (underWay.length >= runningMax) {
    causes.push({ kind: "running_limit", limit: runningMax, claimedCount: underWay.length });
  }
  return causes;
}
type HoldJobs = Extract<HoldCause, { kind: "dependency" }>["jobs"];

test("no limit is exceeded that was not already, and none already exceeded grows", () => {
  const seen = { full: 0, over: 0 };
  always(({ rules, claimed, runningMax, result: { start } }) => {
    const after = [...claimed, ...start];
    const within = (limit: number, member: (job: FilterableJob) => boolean) => {
      const before = claimed.filter(member).length;
      const now = after.filter(member).length;
      expect(now).toBeLessThanOrEqual(Math.max(limit, before));
      if (before > limit) seen.over++;
      else if (now === limit) seen.full++;
    };
    within(runningMax, () => true);
    for (const rule of rules) {
      const limit = limitOf(rule);
      if (limit !== undefined) within(limit, (job) => applyingRule(rules, job) === rule);
    }
    for (const [bucket, limit] of new Map(after.flatMap((job) => [...bucketsOf(job)]))) {
      within(limit, (job) => bucketsOf(job).has(bucket));
    }
  });
  expect(Math.min(seen.full, seen.over)).toBeGreaterThan(50);
});

test("neither the order of rules nor that of jobs matters, nor what was judged before", () => {
  fc.assert(
    fc.property(scenes, fc.infiniteStream(fc.nat()), (scene, keys) => {
      const { rules, queued, claimed, runningMax, result } = played(scene);
      const shuffled = <Item>(items: readonly Item[]) =>
        items
          .map((item) => ({ item, key: keys.next().value as number }))
          .sort((a, b) => a.key - b.key)
          .map(({ item }) => item);
      const chain = ruleChain(shuffled(rules), compilePattern);
      for (const job of shuffled([...queued, ...claimed])) chain.applying(job);
      const again = pass({ queued: shuffled(queued), claimed: claimed, chain, runningMax });
      expect(again).toEqual(result);
    }),
    { numRuns: 300 },
  );
});

test("jobs that share their opcodes are distinguished by their numbers", () => {
  const [first, second] = [aJob({ id: 1, ops: ["OP_A"] }), aJob({ id: 2, ops: ["OP_A"] })];
  const sharing = { ...second, inputs: first.inputs };
  const [rule] = someRules([
    { priority: 0, watermark: 0, predicates: [["jobid", ["==", "id", 1]]], action: "PAUSE" },
  ]);
  const chain = ruleChain([rule as FilterRule], compilePattern);
  expect([first, sharing, first].map((job) => chain.applying(job))).toEqual([
    rule,
    undefined,
    rule,
  ]);
});

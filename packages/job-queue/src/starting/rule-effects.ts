/** Effects of filter rules on jobs: of the stored rules, and of a rule before it is stored. */

import type { PatternCompiler } from "@ganeti-ts/job-filter";
import { jobFacts, type RuleChain, readRuleBody, ruleChain } from "@ganeti-ts/job-filter";
import {
  type Clock,
  type FilterRule,
  FilterUuid,
  isJsonObject,
  type JobId,
  type Json,
} from "@ganeti-ts/protocol";
import { readJobs, turn } from "../jobs/reading.js";
import type { Engine } from "../steps/engine.js";
import { applyingRule } from "./judgement.js";

/** Numbers of unfinished jobs. */
interface JobCounts {
  /** Taken by a worker; these occupy slots of rate limits. */
  readonly claimed: number;
  readonly queued: number;
}

/** Unfinished jobs by the rule that applies to them, and by ad-hoc rate limit. */
export interface RuleEffects {
  /** By UUID; rules that apply to no unfinished job are missing. */
  readonly rules: ReadonlyMap<string, JobCounts>;
  /** By reason text. */
  readonly buckets: ReadonlyMap<string, JobCounts & { readonly limit: number }>;
}

/** A job that satisfies all predicates of a previewed rule. */
interface CaughtJob {
  readonly id: JobId;
  /** False: it has ended. */
  readonly isOpen: boolean;
  /** The rule that applies to it, if another one is evaluated earlier. */
  readonly earlier: FilterUuid | undefined;
}

/** A part of a rule that cannot be stored. */
interface RuleFault {
  /** Index of the predicate; undefined: another part. */
  readonly predicate: number | undefined;
  readonly message: string;
}

/** Effect that a rule has, or would have. */
export interface RulePreview {
  /** All faults; the preview of a faulty rule is empty. */
  readonly faults: readonly RuleFault[];
  /** Watermark with which it was evaluated. */
  readonly watermark: JobId;
  /** Number of unfinished jobs that it catches, and of those among the latest ended ones. */
  readonly openCount: number;
  readonly endedCount: number;
  /** Number of ended jobs that were examined. */
  readonly endedLooked: number;
  /** The latest of both, newest first; at most `caughtMax` of each. */
  readonly caught: readonly CaughtJob[];
}

/** A rule to preview: a stored one, its replacement, or a new one. */
export interface RuleQuestion {
  /** The stored rule that is shown, or that `rule` would replace. */
  readonly uuid?: string | undefined;
  /** Body of a request to add or replace a rule; absent: the stored rule as it is. */
  readonly rule?: Json | undefined;
}

interface Asked {
  readonly clock: Clock;
  readonly patterns: PatternCompiler;
}

/** Jobs listed in a preview, of each kind. */
const caughtMax = 50;
/** Ended jobs examined for a preview: the latest ones that are not archived. */
const endedMax = 300;
/** Jobs examined before other work gets its turn. */
const jobsPerTurn = 2048;

/** Cost: O(unfinished jobs), with judgements that the queue has made already; yields to other work. */
export async function ruleEffects(engine: Engine, clock: Clock): Promise<RuleEffects> {
  await engine.durable();
  const { image } = engine;
  const rules = new Map<string, Counter>();
  const buckets = new Map<string, Counter & { limit: number }>();
  let looked = 0;
  for (const entry of image.entries()) {
    const side = entry.claim === null ? "queued" : "claimed";
    const rule = applyingRule(entry, image);
    if (rule !== undefined) counted(rules, rule.uuid, {})[side]++;
    for (const { text, limit } of jobFacts(entry.inputs).buckets) {
      counted(buckets, text, { limit })[side]++;
    }
    if (++looked % jobsPerTurn === 0) await turn(clock);
  }
  return { rules, buckets };
}

interface Counter {
  claimed: number;
  queued: number;
}

function counted<More extends object>(
  counters: Map<string, Counter & More>,
  key: string,
  more: More,
): Counter {
  let counter = counters.get(key);
  if (counter === undefined) {
    counter = { claimed: 0, queued: 0, ...more };
    counters.set(key, counter);
  }
  return counter;
}

/** Jobs that a rule catches, or would catch. Cost: O(unfinished jobs × rules); yields to other work. */
export async function previewRule(
  engine: Engine,
  { clock, patterns }: Asked,
  question: RuleQuestion,
): Promise<RulePreview> {
  await engine.durable();
  const { image } = engine;
  const stored = image.rules.find(({ uuid }) => uuid === question.uuid);
  const faults = question.rule === undefined ? [] : faultsOf(question.rule, patterns);
  const none = { openCount: 0, endedCount: 0, endedLooked: 0, caught: [] };
  const serial = image.serial as JobId;
  if (faults.length > 0) return { faults, watermark: serial, ...none };
  const rule =
    question.rule === undefined
      ? stored
      : hypothetical(readRuleBody(question.rule, patterns), stored?.uuid ?? newest, serial);
  if (rule === undefined) {
    const message = `Filter rule with UUID ${question.uuid} does not exist`;
    return { faults: [{ predicate: undefined, message }], watermark: serial, ...none };
  }
  const judge = judgeOf(rule, image.rules, patterns);
  const open: CaughtJob[] = [];
  let looked = 0;
  for (const { job, inputs } of image.entries()) {
    const verdict = judge(job.id, inputs);
    if (verdict !== undefined) open.push({ id: job.id, isOpen: true, ...verdict });
    if (++looked % jobsPerTurn === 0) await turn(clock);
  }
  const ids = endedIds(engine);
  const ended: CaughtJob[] = [];
  for (const { id, job } of await readJobs(engine, ids)) {
    const inputs = job?.opcodes.map(({ input }) => input);
    const verdict = inputs && judge(id, inputs);
    if (verdict !== undefined) ended.push({ id, isOpen: false, ...verdict });
  }
  return {
    ...{ faults, watermark: rule.watermark },
    ...{ openCount: open.length, endedCount: ended.length, endedLooked: ids.length },
    caught: [...latest(open), ...latest(ended)].sort((a, b) => b.id - a.id),
  };
}

const latest = (jobs: readonly CaughtJob[]) =>
  [...jobs].sort((a, b) => b.id - a.id).slice(0, caughtMax);

/** UUID of a new rule in its preview: after all rules of its priority, as its watermark is the highest. */
const newest = FilterUuid.parse("ffffffff-ffff-4fff-bfff-ffffffffffff");

const hypothetical = (
  { priority, predicates, action }: Pick<FilterRule, "priority" | "predicates" | "action">,
  uuid: FilterUuid,
  watermark: JobId,
): FilterRule => ({ uuid, watermark, priority, predicates, action, reason_trail: [] });

/** The verdict about a job: undefined if the rule does not match it. */
function judgeOf(rule: FilterRule, rules: readonly FilterRule[], patterns: PatternCompiler) {
  const others = rules.filter(({ uuid }) => uuid !== rule.uuid);
  const alone = ruleChain([{ ...rule, action: "ACCEPT" }], patterns);
  const all = ruleChain([...others, { ...rule, action: "ACCEPT" }], patterns);
  return (id: JobId, inputs: readonly Json[]): Pick<CaughtJob, "earlier"> | undefined => {
    // Judgements are cached with the facts: a copy keeps those of the queue's own chain.
    const applying = (chain: RuleChain) =>
      chain.applying({ id, priority: 0, inputs }, { ...jobFacts(inputs) });
    if (applying(alone) === undefined) return undefined;
    const first = applying(all)?.uuid;
    return { earlier: first === rule.uuid ? undefined : first };
  };
}

/** Each predicate is checked alone, so that one fault does not hide another. */
function faultsOf(body: Json, patterns: PatternCompiler): readonly RuleFault[] {
  const messageOf = (value: Json): string | undefined => {
    try {
      readRuleBody(value, patterns);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };
  const predicates = isJsonObject(body) ? body.predicates : undefined;
  const faults = (Array.isArray(predicates) ? (predicates as readonly Json[]) : []).flatMap(
    (one, predicate): RuleFault[] => {
      const message = messageOf({ predicates: [one] });
      return message === undefined ? [] : [{ predicate, message }];
    },
  );
  const rest = isJsonObject(body) && Array.isArray(predicates) ? { ...body, predicates: [] } : body;
  const message = messageOf(rest);
  return message === undefined ? faults : [...faults, { predicate: undefined, message }];
}

/** The latest jobs that have ended and are not archived. Cost: O(unfinished jobs among them). */
function endedIds({ image, roster }: Engine): readonly JobId[] {
  const ids: JobId[] = [];
  for (const { ids: block } of roster.blocks.toReversed()) {
    for (const id of block.toReversed()) {
      if (image.get(id) === undefined) ids.push(id);
      if (ids.length === endedMax) return ids;
    }
  }
  return ids;
}

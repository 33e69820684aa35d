/** Plans for maintenance and balance, and the jobs that carry them out. */
import type { BalancePlan, EvacuationPlan, NodeLoad } from "@ganeti-ts/cluster";
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import * as z from "zod";
import { checkedBody } from "./checked-body.js";
import { reasonText, reasonTrail } from "./job-method.js";
import { told } from "./planner-answers.js";
import { type Method, type Resource, resource } from "./resource.js";
import { SubmittedJobs, submitted } from "./submitted-jobs.js";

const name = z.string().min(1);
const Opcodes = z.array(z.looseObject({ OP_ID: z.string() }));
const Places = z.array(name);

/** Load of a node as hbal counts it. Sizes in MiB. */
const NodeLoadRow = z.object({
  name,
  group: z.string(),
  offline: z.boolean(),
  fails_n1: z.boolean(),
  memory_total: z.number(),
  memory_free: z.number(),
  /** Memory needed on this node if the worst of its peers fails. */
  memory_reserved: z.number(),
  disk_total: z.number(),
  disk_free: z.number(),
  vcpus: z.number(),
  vcpus_max: z.number(),
  pinst_cnt: z.int(),
  sinst_cnt: z.int(),
});

const rowOf = (load: NodeLoad): z.infer<typeof NodeLoadRow> => ({
  ...{ name: load.name, group: load.group, offline: load.offline, fails_n1: load.failsN1 },
  ...{ memory_total: load.memoryTotalMib, memory_free: load.memoryFreeMib },
  memory_reserved: load.memoryReservedMib,
  ...{ disk_total: load.diskTotalMib, disk_free: load.diskFreeMib },
  ...{ vcpus: load.vcpusUsed, vcpus_max: load.vcpusMax },
  ...{ pinst_cnt: load.primaryCount, sinst_cnt: load.secondaryCount },
});

const Loads = z.array(NodeLoadRow);
const beforeAndAfter = { before: Loads, after: Loads };
const states = ({ before, after }: Pick<BalancePlan, "before" | "after">) => ({
  before: before.map(rowOf),
  after: after.map(rowOf),
});

const loads: Method = {
  summary: "Load of each node as hbal counts it, with N+1; half a minute old at most",
  access: "read",
  answer: Loads,
  handle: async (_, { planner }) => (await planner.figures()).nodes.map(rowOf),
};

const stepsMax = 1000;

/** Options of hbal; absent ones have its defaults. */
const BalanceBody = z.strictObject({
  group: name.optional(),
  max_moves: z.int().min(0).max(stepsMax).default(stepsMax),
  min_gain: z.number().min(0).optional(),
  min_gain_limit: z.number().min(0).optional(),
  /** Only instances on offline and drained nodes. */
  evac_mode: z.boolean().optional(),
  disk_moves: z.boolean().optional(),
  instance_moves: z.boolean().optional(),
  restricted_migration: z.boolean().optional(),
  exclusion_tags: z.array(name).optional(),
  exclude_instances: z.array(name).optional(),
});

const BalanceAnswer = z.object({
  group: z.string(),
  initial_score: z.number(),
  final_score: z.number(),
  optimal_score: z.number(),
  ended: z.enum(["optimum", "no gain", "steps", "aborted"]),
  steps: z.array(
    z.object({
      instance: name,
      from: Places,
      to: Places,
      /** In hbal's notation: `f`, `r:node1 f`, … */
      move: z.string(),
      score: z.number(),
      set: z.int(),
    }),
  ),
  jobs: z.array(Opcodes),
  ...beforeAndAfter,
});

/** Drops absent options. */
const given = <Values extends object>(values: Values) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Values]?: Exclude<Values[Key], undefined>;
  };

/** In addition to the GET of the same path, which has neither options nor states of nodes. */
export const planBalance: Method = {
  summary: "Steps that balance a group, with the options of hbal and the nodes before and after",
  access: "read",
  body: BalanceBody,
  answer: BalanceAnswer,
  waits: true,
  handle: async ({ body, signal }, { planner }) => {
    const wish = checkedBody(BalanceBody, body ?? {});
    const options = given({
      ...{ evacuationMode: wish.evac_mode, diskMoves: wish.disk_moves },
      ...{ instanceMoves: wish.instance_moves, restrictedMigration: wish.restricted_migration },
      ...{ minGain: wish.min_gain, minGainLimit: wish.min_gain_limit, stepsMax: wish.max_moves },
      ...{ group: wish.group, exclusionTags: wish.exclusion_tags },
      excluded: wish.exclude_instances,
    });
    return balanceAnswer(await told(() => planner.balancePlan(options, signal)));
  },
};

const balanceAnswer = (plan: BalancePlan): Json => ({
  ...{ group: plan.group, ended: plan.ended },
  initial_score: plan.initialScore,
  final_score: plan.finalScore,
  optimal_score: plan.optimum,
  steps: plan.steps.map(({ from, to, ...step }) => ({ ...step, from: [...from], to: [...to] })),
  jobs: plan.jobs.map((job) => [...job]),
  ...states(plan),
});

const EvacuationBody = z.strictObject({
  nodes: z.array(name).min(1),
  /** Whether mirrors may stay on the nodes, and whether other groups take the instances. */
  scope: z.enum(["primaries", "all", "other-groups"]),
});

const planEvacuation: Method = {
  summary: "Moves that empty nodes for maintenance, what cannot move, and rounds of reboots",
  access: "read",
  body: EvacuationBody,
  answer: z.object({
    moves: z.array(z.object({ instance: name, from: Places, to: Places })),
    stuck: z.array(z.object({ instance: name, reason: z.string() })),
    /** The job of each move. */
    jobs: z.array(Opcodes),
    /** Nodes that may be rebooted together, in order. */
    rounds: z.array(Places),
    /** Why there are no rounds. */
    no_rounds: z.string().nullable(),
    ...beforeAndAfter,
  }),
  handle: async ({ body, signal }, { planner }) => {
    const wish = checkedBody(EvacuationBody, body);
    return evacuationAnswer(await told(() => planner.evacuationPlan(wish, signal)));
  },
};

const evacuationAnswer = (plan: EvacuationPlan): Json => ({
  moves: plan.moves.map(({ instance, from, to }) => ({ instance, from: [...from], to: [...to] })),
  stuck: plan.stuck.map((one) => ({ ...one })),
  jobs: plan.jobs.map((job) => [...job]),
  rounds: plan.rounds.map((round) => [...round]),
  no_rounds: plan.noRounds ?? null,
  ...states(plan),
});

/** Operations that move instances; each may be submitted alone by the same users. */
const moveIds = [
  "OP_INSTANCE_MIGRATE",
  "OP_INSTANCE_FAILOVER",
  "OP_INSTANCE_REPLACE_DISKS",
] as const;

const MovesBody = z.strictObject({
  /** A dependency -k means the job k places before. */
  jobs: z
    .array(z.array(z.looseObject({ OP_ID: z.enum(moveIds) })).min(1))
    .min(1)
    .max(10_000),
  /** Maximum number of concurrent jobs; if absent, only dependencies limit it. */
  at_once: z.int().min(1).max(1000).optional(),
});

const submitMoves: Method = {
  summary: "Submits the jobs of a plan, of which at most so many run at the same time",
  access: "write",
  body: MovesBody,
  query: { reason: reasonText },
  longBody: true,
  answer: SubmittedJobs,
  handle: (call, world) => {
    const { jobs, at_once } = checkedBody(MovesBody, call.body);
    const reason = reasonTrail(call, "moves", world);
    const reasoned = jobs.map((job) => job.map((opcode) => ({ ...opcode, reason }) as JsonObject));
    return submitted(at_once === undefined ? reasoned : inLanes(reasoned, at_once), world);
  },
};

/** Makes each job wait for the one `count` places before, whatever the outcome of that one. */
const inLanes = (
  jobs: readonly (readonly JsonObject[])[],
  count: number,
): readonly JsonObject[][] =>
  jobs.map((job, at) => {
    const [first = {}, ...others] = job;
    if (at < count) return [...job];
    const known = Array.isArray(first.depends) ? first.depends : [];
    const depends = [...known, [-count, ["success", "error", "canceled"]]];
    return [{ ...first, depends }, ...others];
  });

export const movePlanResources: readonly Resource[] = [
  resource("/ganeti-ts/1/node-loads", { GET: loads }),
  resource("/ganeti-ts/1/evacuation", { POST: planEvacuation }),
  resource("/ganeti-ts/1/moves", { POST: submitMoves }),
];

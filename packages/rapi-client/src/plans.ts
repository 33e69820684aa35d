/** Plans for maintenance and balance, and their jobs: resources of this project's server only. */
import { JobId } from "@ganeti-ts/protocol";
import * as z from "zod";
import type { Caller } from "./caller.js";
import type { Reading } from "./reading.js";

const opcodes = z.array(z.array(z.looseObject({ OP_ID: z.string() })));
const places = { instance: z.string(), from: z.array(z.string()), to: z.array(z.string()) };

/** Load of a node as hbal counts it. Sizes in MiB. */
const NodeLoad = z.looseObject({
  ...{ name: z.string(), group: z.string(), offline: z.boolean(), fails_n1: z.boolean() },
  ...{ memory_total: z.number(), memory_free: z.number(), memory_reserved: z.number() },
  ...{ disk_total: z.number(), disk_free: z.number(), vcpus: z.number(), vcpus_max: z.number() },
  ...{ pinst_cnt: z.int(), sinst_cnt: z.int() },
});
/** Load of a node: sizes in MiB, and whether it violates N+1. */
export type NodeLoad = z.infer<typeof NodeLoad>;

const states = { before: z.array(NodeLoad), after: z.array(NodeLoad) };

const EvacuationPlan = z.looseObject({
  moves: z.array(z.looseObject(places)),
  stuck: z.array(z.looseObject({ instance: z.string(), reason: z.string() })),
  jobs: opcodes,
  rounds: z.array(z.array(z.string())),
  no_rounds: z.string().nullable(),
  ...states,
});
/** Moves that empty nodes with the job of each, instances that stay, and rounds of reboots. */
export type EvacuationPlan = z.infer<typeof EvacuationPlan>;

const BalancePlan = z.looseObject({
  ...{ group: z.string(), ended: z.string() },
  ...{ initial_score: z.number(), final_score: z.number(), optimal_score: z.number() },
  steps: z.array(z.looseObject({ ...places, move: z.string(), score: z.number(), set: z.int() })),
  jobs: opcodes,
  ...states,
});
/** Steps that balance a group, with the score after each and their jobs. */
export type BalancePlan = z.infer<typeof BalancePlan>;

const Submitted = z.array(
  z.union([z.looseObject({ id: JobId }), z.looseObject({ refused: z.string() })]),
);
/** For each job its id, or the reason of its refusal. */
export type SubmittedMoves = z.infer<typeof Submitted>;

/** Options of `Plans.balance`, as those of hbal. */
export interface BalanceRequest {
  /** Name or UUID; required if several groups have nodes. */
  readonly group?: string;
  /** At most 1000. */
  readonly max_moves?: number;
  readonly min_gain?: number;
  readonly min_gain_limit?: number;
  /** Only instances on offline and drained nodes. */
  readonly evac_mode?: boolean;
  readonly disk_moves?: boolean;
  readonly instance_moves?: boolean;
  readonly restricted_migration?: boolean;
  readonly exclusion_tags?: readonly string[];
  readonly exclude_instances?: readonly string[];
}

/** Nodes to empty: of what runs there, of mirrors too, or towards other groups. */
export interface EvacuationRequest {
  readonly nodes: readonly string[];
  readonly scope: "primaries" | "all" | "other-groups";
}

/** How `Plans.submit` submits jobs. */
export interface Submitting extends Reading {
  /** Maximum number of jobs that run at the same time. */
  readonly atOnce?: number;
  readonly reason?: string;
}

export const plansOf = (caller: Caller) => {
  const base = "/ganeti-ts/1";
  return {
    nodeLoads: (options?: Reading): Promise<readonly NodeLoad[]> =>
      caller.call("GET", `${base}/node-loads`, z.array(NodeLoad), options),
    evacuation: (body: EvacuationRequest, options?: Reading): Promise<EvacuationPlan> =>
      caller.call("POST", `${base}/evacuation`, EvacuationPlan, { body, ...options }),
    balance: (body: BalanceRequest, options?: Reading): Promise<BalancePlan> =>
      caller.call("POST", `${base}/balance`, BalancePlan, { body, ...options }),
    /** Migrations, failovers and new secondaries only; for users who may write. */
    submit: (
      jobs: EvacuationPlan["jobs"],
      { atOnce, reason, ...options }: Submitting = {},
    ): Promise<SubmittedMoves> =>
      caller.call("POST", `${base}/moves`, Submitted, {
        body: { jobs, at_once: atOnce },
        query: { reason },
        ...options,
      }),
  };
};

/** Plans, which change nothing, and the submission of their jobs. */
export interface Plans extends ReturnType<typeof plansOf> {}

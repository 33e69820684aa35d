/** Explanation of an answer, as printed by `hail --explain=json`. */
import * as z from "zod";
import { allocationPolicies } from "../cluster-data.js";
import { Suggestion } from "./change.js";
import { Figure, Refusal, refusalRules } from "./refusal.js";

/** Terms of the cluster score, in order of addition. */
export const scoreTerms = [
  "free_mem_cv",
  "free_disk_cv",
  "n1_cnt",
  "reserved_mem_cv",
  "offline_all_cnt",
  "offline_pri_cnt",
  "vcpu_ratio_cv",
  "cpu_load_cv",
  "mem_load_cv",
  "disk_load_cv",
  "net_load_cv",
  "pri_tags_score",
  "spindles_cv",
  "free_mem_cv_forth",
  "free_disk_cv_forth",
  "vcpu_ratio_cv_forth",
  "spindles_cv_forth",
  "location_score",
  "location_exclusion_score",
  "reserved_mem_rtotal",
] as const;

/** Lower is better. `terms` are weighted: their sum in order equals `total` to the last bit. */
export const Score = z.strictObject({
  total: Figure,
  terms: z.record(z.enum(scoreTerms), Figure),
});
export type Score = z.infer<typeof Score>;

/** Measure on dedicated clusters: fewer is better, compared first to last, then less disk. */
export const LostAllocations = z.strictObject({
  /** Per size of the policy, largest disk first: number of instances that no longer fit on the nodes used. */
  lost: z.array(z.number()),
  diskFreeMib: z.number(),
});
export type LostAllocations = z.infer<typeof LostAllocations>;

/** Measure of a candidate; exactly one of the two, as the explanation's `metric` says. */
const measured = {
  score: Score.optional(),
  lostAllocations: LostAllocations.optional(),
};

/** Candidate nodes for the instance: one node, or primary and secondary. */
export const Candidate = z.strictObject({
  nodes: z.array(z.string()).min(1).max(2),
  ...measured,
  /**
   * Whether all nodes can be emptied afterwards: `passes`; `untested` because a better candidate was found;
   * `off` without capacity checks.
   */
  capacity: z.enum(["passes", "untested", "off"]),
});
export type Candidate = z.infer<typeof Candidate>;

/** A place that a rule refuses. */
export const RefusedCandidate = z.strictObject({
  nodes: z.array(z.string()).min(1).max(2),
  refusal: Refusal,
});
export type RefusedCandidate = z.infer<typeof RefusedCandidate>;

/** Whether a node can have a role, and if not, the number of candidates that this rules out. */
export const RoleVerdict = z.strictObject({
  refusal: Refusal.nullable(),
  candidates: z.int(),
});
export type RoleVerdict = z.infer<typeof RoleVerdict>;

/** All candidates of a group: all are counted, the first of each kind are listed. */
export const CandidateField = z.strictObject({
  /** Score of the compared nodes in the present state; absent on dedicated clusters. */
  scoreBefore: Score.optional(),
  feasible: z.int(),
  refused: z.int(),
  /** Refused candidates by rule, only rules that occur. */
  refusedBy: z.partialRecord(z.enum(refusalRules), z.int()),
  /** All examined nodes; a role that was not examined is absent. */
  nodes: z.array(
    z.strictObject({
      node: z.string(),
      primary: RoleVerdict.optional(),
      secondary: RoleVerdict.optional(),
    }),
  ),
  /** Best first. */
  candidates: z.array(Candidate),
  refusals: z.array(RefusedCandidate),
  /** Number of entries missing in the two lists. */
  omitted: z.strictObject({ feasible: z.int(), refused: z.int() }),
});
export type CandidateField = z.infer<typeof CandidateField>;

/**
 * A node of the group excluded as a candidate, with the reason: offline, drained, being left, not allowed.
 */
export const NodeLeftOut = z.strictObject({ node: z.string(), reason: z.string() });
export type NodeLeftOut = z.infer<typeof NodeLeftOut>;

/** Candidates of one group, with the reasons for and against them. */
export const GroupExplanation = z.strictObject({
  group: z.string(),
  policy: z.enum(allocationPolicies),
  /** Whether it could have won. */
  eligible: z.boolean(),
  /** Reason if not: no network, no candidates, unallocable, everything refused. */
  reason: z.string().nullable(),
  leftOut: z.array(NodeLeftOut),
  /** Absent if no candidate was examined. */
  field: CandidateField.optional(),
});
export type GroupExplanation = z.infer<typeof GroupExplanation>;

/** Explanation of a move: its kind and the targets tried. */
export const MoveExplanation = z.strictObject({
  group: z.string(),
  kind: z.enum(["failover", "move", "replace-secondary", "replace-both"]),
  leftOut: z.array(NodeLeftOut),
  field: CandidateField,
});
export type MoveExplanation = z.infer<typeof MoveExplanation>;

/** Explanation of the choice of the winner. */
export const Choice = z.strictObject({
  nodes: z.array(z.string()).min(1).max(2),
  group: z.string(),
  ...measured,
  /** The best candidate that is worse, or that lost a tie; null if there is no other. */
  runnerUp: z
    .strictObject({
      nodes: z.array(z.string()).min(1).max(2),
      group: z.string(),
      ...measured,
      /** Runner-up less winner, largest first; only terms that differ. */
      differences: z.array(z.strictObject({ term: z.enum(scoreTerms), amount: Figure })),
    })
    .nullable(),
  /** Number of candidates of the group with exactly the same score, including the winner; 1: no tie. */
  tied: z.int(),
  /** The first tied candidates, without the winner. */
  ties: z.array(z.array(z.string())),
  /** The whole explanation as text. */
  text: z.string(),
});
export type Choice = z.infer<typeof Choice>;

/** Explanation for one instance of the request. */
export const InstanceExplanation = z.strictObject({
  instance: z.string(),
  /** For example `2048 MiB memory, 20480 MiB disk, 2 vcpus, drbd`. */
  needs: z.string(),
  /** Its current nodes; empty for a new instance. */
  from: z.array(z.string()),
  /** Its new nodes; empty if it cannot be placed. */
  to: z.array(z.string()),
  /** Reason why nothing was examined or found. */
  reason: z.string().nullable(),
  groups: z.array(GroupExplanation),
  move: MoveExplanation.optional(),
  choice: Choice.nullable(),
  /** Only for an instance that cannot be placed. */
  suggestions: z.array(Suggestion),
  /** False if the search reached its time limit. */
  suggestionsComplete: z.boolean(),
});
export type InstanceExplanation = z.infer<typeof InstanceExplanation>;

/** Reasons of an answer: every candidate of every instance, and suggestions. */
export const Explanation = z.strictObject({
  request: z.enum([
    "allocate",
    "multi-allocate",
    "capacity",
    "allocate-secondary",
    "relocate",
    "node-evacuate",
    "change-group",
    "balance",
  ]),
  /** As in the answer. */
  success: z.boolean(),
  info: z.string(),
  metric: z.enum(["score", "lost-allocations"]),
  ignoreSoftErrors: z.boolean(),
  capacityChecks: z.boolean(),
  /** In the order of the request, each in the state its predecessors left. */
  instances: z.array(InstanceExplanation),
});
export type Explanation = z.infer<typeof Explanation>;

/** Why a request was answered as it was: what `hail --explain=json` prints. */
import * as z from "zod";
import { allocationPolicies } from "../cluster-data.js";
import { Suggestion } from "./change.js";
import { Figure, Refusal, refusalRules } from "./refusal.js";

/** The terms of the cluster score, in the order in which they are added up. */
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

/** Lower is better. `terms` are weighted: added up in their order they give `total` to the last bit. */
export const Score = z.strictObject({
  total: Figure,
  terms: z.record(z.enum(scoreTerms), Figure),
});
export type Score = z.infer<typeof Score>;

/** Dedicated clusters: fewer is better, first to last, then less disk. */
export const LostAllocations = z.strictObject({
  /** Per size of the policy, largest disk first: how many fewer fit on the nodes used. */
  lost: z.array(z.number()),
  diskFreeMib: z.number(),
});
export type LostAllocations = z.infer<typeof LostAllocations>;

/** What a candidate is compared by; exactly one of the two, as the explanation's `metric` says. */
const measured = {
  score: Score.optional(),
  lostAllocations: LostAllocations.optional(),
};

/** A place that the instance could be put in: one node, or primary and secondary. */
export const Candidate = z.strictObject({
  nodes: z.array(z.string()).min(1).max(2),
  ...measured,
  /**
   * Whether all nodes can be emptied afterwards: `passes`; `untested` as a better one was found;
   * `off` where it is not asked.
   */
  capacity: z.enum(["passes", "untested", "off"]),
});
export type Candidate = z.infer<typeof Candidate>;

export const RefusedCandidate = z.strictObject({
  nodes: z.array(z.string()).min(1).max(2),
  refusal: Refusal,
});
export type RefusedCandidate = z.infer<typeof RefusedCandidate>;

/** Whether a node can have a role, and how many candidates that rules out if it cannot. */
export const RoleVerdict = z.strictObject({
  refusal: Refusal.nullable(),
  candidates: z.int(),
});
export type RoleVerdict = z.infer<typeof RoleVerdict>;

/** Every candidate of a group, all of them counted, the first of each kind listed. */
export const CandidateField = z.strictObject({
  /** Of the nodes that are compared, as they are; absent on dedicated clusters. */
  scoreBefore: Score.optional(),
  feasible: z.int(),
  refused: z.int(),
  /** Refused candidates by rule, only rules that occur. */
  refusedBy: z.partialRecord(z.enum(refusalRules), z.int()),
  /** All nodes that were looked at; a role that was not asked of a node is absent. */
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
  /** What the two lists leave out. */
  omitted: z.strictObject({ feasible: z.int(), refused: z.int() }),
});
export type CandidateField = z.infer<typeof CandidateField>;

/** A node of the group that is no candidate at all, and why: offline, drained, being left, not allowed. */
export const NodeLeftOut = z.strictObject({ node: z.string(), reason: z.string() });
export type NodeLeftOut = z.infer<typeof NodeLeftOut>;

export const GroupExplanation = z.strictObject({
  group: z.string(),
  policy: z.enum(allocationPolicies),
  /** It could have won. */
  eligible: z.boolean(),
  /** Why not, in words: no network, no candidates, unallocable, everything refused. */
  reason: z.string().nullable(),
  leftOut: z.array(NodeLeftOut),
  /** Absent where no candidate was looked at. */
  field: CandidateField.optional(),
});
export type GroupExplanation = z.infer<typeof GroupExplanation>;

/** How an instance is moved: the targets tried. */
export const MoveExplanation = z.strictObject({
  group: z.string(),
  kind: z.enum(["failover", "move", "replace-secondary", "replace-both"]),
  leftOut: z.array(NodeLeftOut),
  field: CandidateField,
});
export type MoveExplanation = z.infer<typeof MoveExplanation>;

/** Why the winner won. */
export const Choice = z.strictObject({
  nodes: z.array(z.string()).min(1).max(2),
  group: z.string(),
  ...measured,
  /** The best candidate that is worse, or that lost a tie; null if there was no other. */
  runnerUp: z
    .strictObject({
      nodes: z.array(z.string()).min(1).max(2),
      group: z.string(),
      ...measured,
      /** Runner-up less winner, largest first; only terms that differ. */
      differences: z.array(z.strictObject({ term: z.enum(scoreTerms), amount: Figure })),
    })
    .nullable(),
  /** Candidates of the group with exactly the same score, the winner among them; 1: no tie. */
  tied: z.int(),
  /** The first of them, the winner not among them. */
  ties: z.array(z.array(z.string())),
  /** All of it for people. */
  text: z.string(),
});
export type Choice = z.infer<typeof Choice>;

/** What became of one instance of the request. */
export const InstanceExplanation = z.strictObject({
  instance: z.string(),
  /** `2048 MiB memory, 20480 MiB disk, 2 vcpus, drbd` */
  needs: z.string(),
  /** Where it is; empty for a new one. */
  from: z.array(z.string()),
  /** Where it goes; empty if it finds no place. */
  to: z.array(z.string()),
  /** Why nothing was looked at or found, in words. */
  reason: z.string().nullable(),
  groups: z.array(GroupExplanation),
  move: MoveExplanation.optional(),
  choice: Choice.nullable(),
  /** Only for one that finds no place. */
  suggestions: z.array(Suggestion),
  /** False where the search for more of them took too long and was ended. */
  suggestionsComplete: z.boolean(),
});
export type InstanceExplanation = z.infer<typeof InstanceExplanation>;

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
  /** In the order of the request, each on the state its predecessors left. */
  instances: z.array(InstanceExplanation),
});
export type Explanation = z.infer<typeof Explanation>;

/** The parts of hail's explanation that the page shows. */
import { ask } from "./server.js";

type Figure = number | string;
export interface Score {
  readonly total: Figure;
  readonly terms: Readonly<Record<string, Figure>>;
}

interface Refusal {
  readonly rule: string;
  readonly node: string;
  readonly text: string;
}

interface Candidate {
  readonly nodes: readonly string[];
  readonly score?: Score;
}

export interface Change {
  readonly kind: string;
  readonly resource?: string;
  readonly by?: number;
  readonly tag?: string;
}

export interface Suggestion {
  readonly changes: readonly Change[];
  readonly text: string;
}

export interface GroupAnswer {
  readonly group: string;
  readonly policy: string;
  readonly eligible: boolean;
  readonly reason: string | null;
  readonly leftOut: readonly { readonly node: string; readonly reason: string }[];
  readonly field?: {
    readonly scoreBefore?: Score;
    readonly feasible: number;
    readonly refused: number;
    readonly refusedBy: Readonly<Record<string, number>>;
    readonly candidates: readonly Candidate[];
    readonly refusals: readonly { readonly nodes: readonly string[]; readonly refusal: Refusal }[];
  };
}

export interface InstanceAnswer {
  readonly needs: string;
  readonly to: readonly string[];
  readonly reason: string | null;
  readonly groups: readonly GroupAnswer[];
  readonly choice: {
    readonly nodes: readonly string[];
    readonly group: string;
    readonly score?: Score;
    readonly text: string;
  } | null;
  readonly suggestions: readonly Suggestion[];
  readonly suggestionsComplete: boolean;
}

interface Explanation {
  readonly success: boolean;
  readonly instances: readonly InstanceAnswer[];
}

/** The present placement of an instance, explained. @throws ServerError */
export async function explained(question: object, signal: AbortSignal): Promise<InstanceAnswer> {
  const { instances } = await ask<Explanation>("POST", "/ganeti-ts/1/explain", question, signal);
  return instances[0] as InstanceAnswer;
}

export interface Capacity {
  readonly count: number;
  /** `limit`: more than the requested number would fit. */
  readonly figures: { readonly stop?: string };
}

/** Number of instances that fit, up to `most`. @throws ServerError */
export const capacityFor = (question: object, most: number, signal?: AbortSignal) =>
  ask<Capacity>("POST", "/ganeti-ts/1/capacity", { ...question, max_count: most }, signal);

/** Rules of hail in everyday words. */
export const ruleTexts: Readonly<Record<string, string>> = {
  FailMem: "not enough memory, or more than the policy allows",
  FailDisk: "not enough disk space, or more than the policy allows",
  FailCPU: "too many virtual CPUs for the node",
  FailN1: "a failure of one node could not be survived any more",
  FailTags: "an exclusion tag that another instance there has, too",
  FailMig: "migration tags that do not match",
  FailDiskCount: "a number of disks that the policy does not allow",
  FailSpindles: "not enough spindles",
};

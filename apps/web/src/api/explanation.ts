/** The parts of hail's explanation that the page shows. */
import type { Explanation } from "@ganeti-ts/protocol";
import type { Capacity } from "@ganeti-ts/rapi-client";
import { ask } from "./server.js";

export type { Capacity };

export type InstanceAnswer = Explanation["instances"][number];
export type GroupAnswer = InstanceAnswer["groups"][number];
export type Score = NonNullable<NonNullable<InstanceAnswer["choice"]>["score"]>;
export type Suggestion = InstanceAnswer["suggestions"][number];

/** A change of a suggestion; which parts it has depends on its kind. */
export interface Change {
  readonly kind: string;
  readonly resource?: string;
  readonly by?: number;
  readonly tag?: string;
}

/** The present placement of an instance, explained. @throws ServerError */
export async function explained(question: object, signal: AbortSignal): Promise<InstanceAnswer> {
  const { instances } = await ask<Explanation>("POST", "/ganeti-ts/1/explain", question, signal);
  return instances[0] as InstanceAnswer;
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

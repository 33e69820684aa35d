/** Test whether an answer gives a place to an instance that had none in the answer before. */
import type { AllocatorAnswer, AllocatorRequest } from "@ganeti-ts/protocol";

export type SuccessTest = (answer: AllocatorAnswer) => boolean;

/** @returns undefined if the instance was placed */
export function successTestFor(
  request: AllocatorRequest,
  before: AllocatorAnswer,
  instance: string,
): SuccessTest | undefined {
  if (!before.success) {
    return (answer) => answer.success && !failedIn(request, answer).includes(instance);
  }
  const failed = failedIn(request, before);
  if (!failed.includes(instance)) return undefined;
  return (answer) => {
    if (!answer.success) return false;
    const still = failedIn(request, answer);
    return still.length < failed.length && !still.includes(instance);
  };
}

/** Names of instances that a successful answer lists as failed. */
function failedIn({ type }: AllocatorRequest, { result }: AllocatorAnswer): string[] {
  if (type !== "multi-allocate" && type !== "node-evacuate" && type !== "change-group") return [];
  const [, failed] = result as [unknown, [string, string][]];
  return failed.map(([name]) => name);
}

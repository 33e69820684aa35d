/** Command-line options that reproduce a policy's limits. */
import type { JsonObject } from "@ganeti-ts/protocol";
import { pythonText } from "@ganeti-ts/protocol";

type Specs = JsonObject;

/** ` --ipolicy-std-specs … --ipolicy-bounds-specs …` for the policy, each with a leading blank. */
export function policyOptions(policy: JsonObject): string {
  const standard = policy.std as Specs | undefined;
  const pairs = (policy.minmax as { min?: Specs; max?: Specs }[] | undefined) ?? [];
  const bounds = pairs
    .filter(({ min, max }) => !isEmpty(min) && !isEmpty(max))
    .map(({ min, max }) => `min:${specText(min)}/max:${specText(max)}`);
  return (
    (isEmpty(standard) ? "" : ` --ipolicy-std-specs ${specText(standard)}`) +
    (bounds.length === 0 ? "" : ` --ipolicy-bounds-specs ${bounds.join("//")}`)
  );
}

const isEmpty = (specs: Specs | undefined): boolean =>
  specs === undefined || Object.keys(specs).length === 0;

const specText = (specs: Specs | undefined): string =>
  Object.entries(specs ?? {})
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${pythonText(value ?? null)}`)
    .join(",");

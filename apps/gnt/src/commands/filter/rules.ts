/** Filter rules of a cluster. */
import type { Json } from "@ganeti-ts/protocol";
import type { Cluster } from "../../cluster.js";

export const ruleFields = [
  ...["uuid", "watermark", "priority"],
  ...["predicates", "action", "reason_trail"],
];

/** A type, not an interface, so that it is assignable to Json. */
export type Rule = {
  readonly uuid: string;
  readonly watermark: number;
  readonly priority: number;
  readonly predicates: readonly (readonly [kind: string, filter: Json])[];
  readonly action: Json;
  readonly reason_trail: readonly (readonly [source: string, reason: string, time: Json])[];
};

/** Existing rules with the given UUIDs; all if none are given. */
export async function rulesOf(
  cluster: Cluster,
  uuids: readonly string[],
): Promise<readonly Rule[]> {
  const named = uuids.map((uuid) => ["==", "uuid", uuid] as const);
  const filter = uuids.length === 0 ? null : (["|", ...named] as const);
  const { data } = await cluster.query("filter", ruleFields, filter);
  return data.map(
    (row) => Object.fromEntries(ruleFields.map((field, at) => [field, row[at]?.[1]])) as Rule,
  );
}

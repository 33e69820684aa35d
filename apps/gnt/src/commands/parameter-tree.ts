/** Parameters and policies as trees of `info` commands. */
import { isJsonObject, type Json, type JsonObject, pythonText } from "@ganeti-ts/protocol";
import { type Entry, ordered, type Tree } from "../tree.js";

/** Format of values; whole numbers may become Roman ones. */
export type Write = (value: Json) => string;

/** Each effective parameter: its own value, or the inherited one, marked as such. */
export function parameterTree(
  own: JsonObject,
  filled: JsonObject,
  write: Write = pythonText,
): Tree {
  const tree: Record<string, Tree> = {};
  for (const [key, value] of Object.entries(filled)) {
    const mine = own[key];
    if (isJsonObject(value) && Object.keys(value).length > 0) {
      tree[key] = parameterTree(isJsonObject(mine) ? mine : {}, value, write);
    } else {
      tree[key] = mine === undefined ? byDefault(value ?? null, write) : write(mine);
    }
  }
  return tree;
}

const byDefault = (value: Json, write: Write): string => `default (${write(value)})`;

interface Policy {
  readonly minmax?: readonly { readonly min: JsonObject; readonly max: JsonObject }[];
  readonly std?: JsonObject;
  readonly "disk-templates"?: readonly string[];
  readonly "vcpu-ratio"?: Json;
  readonly "spindle-ratio"?: Json;
}

/** The policy of a cluster. */
export const clusterPolicyTree = (policy: JsonObject, write: Write = pythonText): Tree =>
  policyTree(policy as Policy, policy as Policy, "cluster", write);

/** The policy of a group, followed by the effective one. */
export const groupPolicyTree = (own: JsonObject, filled: JsonObject): Tree =>
  policyTree(own as Policy, filled as Policy, "group", pythonText);

function policyTree(own: Policy, filled: Policy, whose: "cluster" | "group", write: Write): Tree {
  const isOwn = (own.minmax?.length ?? 0) > 0;
  const bounds = ((isOwn ? own : filled).minmax ?? []).map((pair, at) =>
    ordered(
      ...(["min", "max"] as const).map((key): Entry => {
        const specs = pair[key];
        return [`${key}/${at}`, parameterTree(isOwn ? specs : {}, specs, write)];
      }),
    ),
  );
  const templates = own["disk-templates"]?.join(", ");
  const ratio = (key: "vcpu-ratio" | "spindle-ratio"): string =>
    own[key] === undefined ? `default (${pythonText(filled[key] ?? null)})` : write(own[key]);
  return ordered(
    ["bounds specs", bounds],
    ...(whose === "cluster"
      ? [["std", parameterTree(own.std ?? {}, own.std ?? {}, write)] as const]
      : []),
    [
      "allowed disk templates",
      templates ?? `default (${(filled["disk-templates"] ?? []).join(", ")})`,
    ],
    ["vcpu-ratio", ratio("vcpu-ratio")],
    ["spindle-ratio", ratio("spindle-ratio")],
  );
}

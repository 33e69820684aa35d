/** Shortages that refusals report: guesses at the amounts that would help. */
import type { Attempt, CandidateField, InstanceExplanation, Refusal } from "@ganeti-ts/protocol";
import type { Cluster } from "../model/cluster.js";
import type { Resize } from "./resize.js";

/** Shortages of a resource on a node, in any role; smallest first. */
export interface Shortage {
  readonly node: string;
  readonly resource: "memory" | "disk" | "spindles" | "cpus";
  readonly amounts: readonly number[];
}

type Explained = Pick<InstanceExplanation, "groups" | "move">;

const fieldsOf = ({ groups, move }: Explained): CandidateField[] => [
  ...groups.flatMap(({ field }) => field ?? []),
  ...(move ? [move.field] : []),
];

function refusalsOf(field: CandidateField): (Refusal | Attempt)[] {
  const refused = [
    ...field.nodes.flatMap(({ primary, secondary }) => [
      ...(primary?.refusal ? [primary.refusal] : []),
      ...(secondary?.refusal ? [secondary.refusal] : []),
    ]),
    ...field.refusals.map(({ refusal }) => refusal),
  ];
  return refused.flatMap((one) => [one, ...(one.attempts ?? [])]);
}

/** Nodes with the smallest shortage come first. */
export function shortagesOf(cluster: Cluster, explained: Explained): Shortage[] {
  const amounts = new Map<string, { shortage: Omit<Shortage, "amounts">; amounts: Set<number> }>();
  for (const found of fieldsOf(explained).flatMap(refusalsOf)) {
    const missing = missingOn(cluster, found);
    if (missing === undefined) continue;
    const { resource, amount } = missing;
    const key = `${resource} ${found.node}`;
    const known = amounts.get(key) ?? {
      shortage: { node: found.node, resource },
      amounts: new Set(),
    };
    known.amounts.add(amount);
    amounts.set(key, known);
  }
  return [...amounts.values()]
    .map(({ shortage, amounts: found }) => ({
      ...shortage,
      amounts: [...found].sort((a, b) => a - b),
    }))
    .sort((a, b) => (a.amounts[0] as number) - (b.amounts[0] as number));
}

function missingOn(
  cluster: Cluster,
  { check, node, value, limit }: Refusal | Attempt,
): { resource: Shortage["resource"]; amount: number } | undefined {
  if (typeof value !== "number" || typeof limit !== "number") return undefined;
  const at = cluster.data.nodes.findIndex(({ name }) => name === node);
  const data = cluster.data.nodes[at];
  if (data === undefined) return undefined;
  const { policy } = cluster.data.groups[data.groupIndex] as (typeof cluster.data.groups)[number];
  const positive = (resource: Shortage["resource"], amount: number) =>
    amount > 0 && Number.isSafeInteger(amount) ? { resource, amount } : undefined;
  switch (check) {
    case "memory":
    case "reserved-memory":
      return positive("memory", value - limit + 1);
    case "disk":
      return positive("disk", value - limit + 1);
    case "spindles":
      return positive("spindles", value - limit);
    case "spindle-use":
      return positive("spindles", Math.ceil((value - limit) / policy.spindleRatio));
    case "vcpus":
      return positive("cpus", Math.ceil((value * data.cpuTotal) / limit - data.cpuTotal));
    default:
      return undefined;
  }
}

/** Number of amounts tried for each role. */
const guessesMax = 2;

/**
 * Amounts by which the instance is too large for some candidate; smallest first. A pair needs both its nodes,
 * and policies are checked before them, so the minimum of each is returned.
 */
export function excessesOf(explained: Explained): Map<Resize["resource"], number[]> {
  const byRole = new Map<string, { resource: Resize["resource"]; amounts: Set<number> }>();
  for (const found of fieldsOf(explained).flatMap(refusalsOf)) {
    const excess = excessOf(found);
    if (excess === undefined) continue;
    const { resource, amount } = excess;
    if (!(amount > 0) || !Number.isSafeInteger(amount)) continue;
    const key = `${resource} ${found.check} ${"role" in found ? found.role : ""}`;
    const known = byRole.get(key) ?? { resource, amounts: new Set() };
    byRole.set(key, { resource, amounts: known.amounts.add(amount) });
  }
  const excesses = new Map<Resize["resource"], number[]>();
  for (const { resource, amounts } of byRole.values()) {
    const least = [...amounts].sort((a, b) => a - b).slice(0, guessesMax);
    const all = new Set([...(excesses.get(resource) ?? []), ...least]);
    excesses.set(
      resource,
      [...all].sort((a, b) => a - b),
    );
  }
  return excesses;
}

function excessOf(
  found: Refusal | Attempt,
): { resource: Resize["resource"]; amount: number } | undefined {
  const { check, value, limit } = found;
  if (typeof value !== "number" || typeof limit !== "number") return undefined;
  switch (check) {
    case "memory":
    case "reserved-memory":
      return { resource: "memory", amount: value - limit + 1 };
    case "disk":
      return { resource: "disk", amount: value - limit + 1 };
    case "spindles":
      return { resource: "spindles", amount: value - limit };
    case "spindle-use":
      return { resource: "spindle-use", amount: Math.ceil(value - limit) };
    case "policy": {
      if (!("resource" in found) || found.resource === undefined) return undefined;
      const resource = found.resource.replace(" ", "-") as Resize["resource"];
      return { resource, amount: value - limit };
    }
    default:
      return undefined;
  }
}

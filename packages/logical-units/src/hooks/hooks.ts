/**
 * Hook scripts that the cluster's owner has put on nodes: those in `<path>-pre.d` may forbid an
 * operation, those in `<path>-post.d` run after it.
 */
import type { Snapshot } from "@ganeti-ts/config";
import type { GroupUuid, InstanceObject, Json, NodeUuid } from "@ganeti-ts/protocol";
import { pythonText } from "@ganeti-ts/protocol";

export interface Hooks<Op> {
  /** Such as `instance-add`. */
  readonly path: string;
  readonly object: "CLUSTER" | "GROUP" | "INSTANCE" | "NETWORK" | "NODE";
  /**
   * Variables for the scripts, by names without `GANETI_`. Computed again after the operation with
   * the new configuration and passed as `GANETI_POST_…` in addition. @throws ConfigError,
   * OperationError if the object no longer exists; then the earlier values are passed
   */
  environment(op: Op, now: Snapshot, found: Found): HookVariables;
  /** Nodes on which the scripts run. */
  nodes(op: Op, now: Snapshot, found: Found): HookNodes;
}

export interface HookNodes {
  readonly before: readonly NodeUuid[];
  readonly after: readonly NodeUuid[];
}

/** Values of variables by name. Absent values are passed as Python prints them: `None`. */
export interface HookValues {
  readonly [name: string]: Json | undefined;
}

/**
 * Values, or parts of which later ones win. Parts are not joined before the whole environment is made: adding a computed
 * key to an object costs most of the making, and an instance has about a hundred of them.
 */
export type HookVariables = HookValues | HookParts;

/** Variables whose names begin with the same words. */
export class HookParts {
  readonly prefix: string;
  readonly parts: readonly HookVariables[];

  constructor(prefix: string, parts: readonly HookVariables[]) {
    this.prefix = prefix;
    this.parts = parts;
  }
}

/** All variables of the parts; later parts win. */
export const merged = (...parts: readonly HookVariables[]): HookVariables =>
  new HookParts("", parts);

/** Texts by name, as scripts get them. */
export type HookTexts = { [name: string]: string };

/** Adds the texts of all variables, with `prefix` before their names. */
export function addTexts(texts: HookTexts, prefix: string, variables: HookVariables): void {
  if (variables instanceof HookParts) {
    for (const part of variables.parts) addTexts(texts, prefix + variables.prefix, part);
    return;
  }
  for (const name in variables) texts[prefix + name] = pythonText(variables[name] ?? null);
}

/** Facts that only the checks find out. */
export interface Found {
  /** Nodes that the operation does not name, or that are about to join. */
  readonly nodes?: readonly NodeUuid[];
  /** UUIDs of groups that the operation does not name. */
  readonly groups?: readonly string[];
  readonly variables?: HookVariables;
  /** Planned values of an instance; afterwards the configuration has the actual ones. */
  readonly planned?: Partial<InstanceObject> | undefined;
}

/** The same nodes before and after the operation. */
export const onNodes = (...nodes: readonly (NodeUuid | undefined)[]): HookNodes => {
  const known = [...new Set(nodes.flatMap((node) => node ?? []))];
  return { before: known, after: known };
};

export const masterAndMembers = (now: Snapshot, group: GroupUuid): HookNodes =>
  onNodes(now.cluster.master_node, ...now.nodesOfGroup(group).map(({ uuid }) => uuid));

/** Hooks of operations whose scripts run on the master alone. */
export const masterHooks = <Op>(
  path: string,
  object: Hooks<Op>["object"],
  environment: Hooks<Op>["environment"],
): Hooks<Op> => ({
  path,
  object,
  environment,
  nodes: (_, now) => onNodes(now.cluster.master_node),
});

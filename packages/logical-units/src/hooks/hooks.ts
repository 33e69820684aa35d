/**
 * Scripts that the cluster's owner has put on nodes: before an operation they may forbid it, afterwards
 * they are told of it. Directories `<path>-pre.d` and `<path>-post.d`.
 */
import type { Snapshot } from "@ganeti-ts/config";
import type { GroupUuid, InstanceObject, Json, NodeUuid } from "@ganeti-ts/protocol";

export interface Hooks<Op> {
  /** `instance-add`. */
  readonly path: string;
  readonly object: "CLUSTER" | "GROUP" | "INSTANCE" | "NETWORK" | "NODE";
  /**
   * What the scripts are told, by names without `GANETI_`. Asked again after the operation, with the
   * configuration as it is then: that is told as `GANETI_POST_…` besides.
   * @throws ConfigError, OperationError when what it is about is gone; then the earlier values count
   */
  environment(op: Op, now: Snapshot, found: Found): HookVariables;
  /** Where scripts run. */
  nodes(op: Op, now: Snapshot, found: Found): HookNodes;
}

export interface HookNodes {
  readonly before: readonly NodeUuid[];
  readonly after: readonly NodeUuid[];
}

/** Absent values are told as Python shows them: `None`. */
export interface HookVariables {
  readonly [name: string]: Json | undefined;
}

/** What only the checks find out. */
export interface Found {
  /** Nodes that an operation does not name, or that are about to be some. */
  readonly nodes?: readonly NodeUuid[];
  /** UUIDs of groups that an operation does not name. */
  readonly groups?: readonly string[];
  readonly variables?: HookVariables;
  /** What an instance is about to become; afterwards the configuration says what it is. */
  readonly planned?: Partial<InstanceObject> | undefined;
}

/** The same nodes before and after. */
export const onNodes = (...nodes: readonly (NodeUuid | undefined)[]): HookNodes => {
  const known = [...new Set(nodes.flatMap((node) => node ?? []))];
  return { before: known, after: known };
};

export const masterAndMembers = (now: Snapshot, group: GroupUuid): HookNodes =>
  onNodes(now.cluster.master_node, ...now.nodesOfGroup(group).map(({ uuid }) => uuid));

/** Of operations whose scripts run on the master alone. */
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

/**
 * Steps of a balancing move: mirrors are rebuilt on other nodes (`replace`) and the instance starts on
 * another node (`run`).
 */

import { moveOpcode, type Opcode, replaceSecondaryOpcode } from "../allocate/evacuation-job.js";
import type { Cluster } from "../model/cluster.js";
import type { Instance } from "../model/instance.js";
import type { BalanceStep } from "./balance.js";

type Action =
  /** On its secondary, or with external disks on `target`. */
  | { readonly what: "run"; readonly target?: number }
  | { readonly what: "replace"; readonly target: number };

const run: Action = { what: "run" };
const replace = (target: number): Action => ({ what: "replace", target });

function actionsOf({ move }: BalanceStep): readonly Action[] {
  switch (move.kind) {
    case "failover":
      return [run];
    case "failover-to-any":
      return [{ what: "run", target: move.target }];
    case "replace-secondary":
      return [replace(move.target)];
    case "replace-and-failover":
      return [replace(move.target), run];
    case "replace-primary":
      return [run, replace(move.target), run];
    case "failover-and-replace":
      return [run, replace(move.target)];
    case "change-both":
      return [replace(move.primary), run, replace(move.secondary)];
  }
}

/** hbal's short notation: `f`, `fa:node1`, `r:node1`, `r:node1 f`, `f r:node1 f`, `f r:node1`. */
export function moveText(
  cluster: Cluster,
  step: BalanceStep,
  nameOf: (node: number) => string = (node) => nodeAlias(cluster, node),
): string {
  return actionsOf(step)
    .map((action) => {
      if (action.what === "replace") return `r:${nameOf(action.target)}`;
      return action.target === undefined ? "f" : `fa:${nameOf(action.target)}`;
    })
    .join(" ");
}

/**
 * The commands for an administrator. Running instances are migrated, others fail over.
 * @param instanceName name in the commands
 */
export function moveCommands(
  cluster: Cluster,
  step: BalanceStep,
  instanceName: string,
): readonly string[] {
  const { status } = (cluster.instances[step.index] as Instance).data;
  const start = status === "running" || status === "ERROR_up" ? "migrate" : "failover";
  return actionsOf(step).map((action) => {
    const target = action.target === undefined ? "" : ` -n ${nodeAlias(cluster, action.target)}`;
    if (action.what === "replace") return `gnt-instance replace-disks${target} ${instanceName}`;
    return `gnt-instance ${start} -f${target} ${instanceName}`;
  });
}

/** The opcodes of the job that makes the move. */
export function moveJob(cluster: Cluster, step: BalanceStep): readonly Opcode[] {
  const { data, forthcoming } = cluster.instances[step.index] as Instance;
  const nodeName = (node: number) => cluster.data.nodes[node]?.name as string;
  return actionsOf(step).map((action) => {
    if (action.what === "replace")
      return replaceSecondaryOpcode(data.name, nodeName(action.target));
    const target = action.target === undefined ? undefined : nodeName(action.target);
    return moveOpcode(data.name, forthcoming, target);
  });
}

/** A node's name without the suffix common to all names. */
export function nodeAlias(cluster: Cluster, node: number): string {
  return aliasOf(cluster, cluster.data.nodes[node]?.name as string);
}

/** Name of an instance as `hbal` prints it: without the domain that all instances share. */
export function instanceAlias(cluster: Cluster, index: number): string {
  return aliasOf(cluster, (cluster.instances[index] as Instance).data.name);
}

const aliasOf = (cluster: Cluster, name: string): string =>
  name.slice(0, name.length - cluster.commonSuffixLength);

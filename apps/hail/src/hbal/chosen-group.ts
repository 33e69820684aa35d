/** The node group to balance, with the problems it has beforehand. */
import {
  badItems,
  type Cluster,
  type ClusterView,
  DataError,
  groupView,
  nodeFigures,
} from "@ganeti-ts/htools";
import type { Ports } from "../ports.js";

export interface ChosenGroup extends ClusterView {
  readonly name: string;
  readonly uuid: string;
  /** Online nodes that fail N+1, and the instances on them. */
  readonly bad: ClusterView;
  /** Policy violations of the other nodes. */
  readonly policies: readonly PolicyHealth[];
}

interface PolicyHealth {
  readonly node: string;
  /** The exceeded policy limit: spindles (FailDisk) or CPUs (FailCPU). */
  readonly violation: "FailDisk" | "FailCPU" | undefined;
}

/**
 * The group requested by name or UUID, or the only one with nodes. Throws a DataError after listing the
 * groups on stderr.
 */
export function chooseGroup(
  cluster: Cluster,
  asked: string | undefined,
  ports: Ports,
): ChosenGroup {
  const { groups } = cluster.data;
  const inUse = [...groups.keys()].filter((at) => groupView(cluster, at).nodes.length > 0);
  const abort = (indices: readonly number[], title: string): never => {
    const names = indices.map((at) => `  ${groups[at]?.name}\n`);
    ports.stderr(`${title}\n${names.join("")}`);
    throw new DataError("Aborting.");
  };
  if (asked === undefined && inUse.length > 1) abort(inUse, "Found multiple node groups:");
  const [only] = inUse;
  const found =
    asked === undefined
      ? (only ?? -1)
      : soleIndex(groups.map(({ name, uuid }) => name === asked || uuid === asked));
  const group = groups[found];
  if (asked !== undefined && group === undefined) {
    abort([...groups.keys()], `Node group ${asked} not found. Node group list is:`);
  }
  if (group === undefined) throw new DataError("No groups found by splitCluster?!");
  const view = groupView(cluster, found);
  const bad = badItems(cluster, view.nodes);
  const others = view.nodes.filter((node) => !bad.nodes.includes(node));
  const policies = others.map((node) => policyHealth(cluster, node));
  return { name: group.name, uuid: group.uuid, ...view, bad, policies };
}

/** Index of the only true flag; -1 unless exactly one is true. */
const soleIndex = (flags: readonly boolean[]): number =>
  flags.filter(Boolean).length === 1 ? flags.indexOf(true) : -1;

/** Source: Ganeti, HTools/Node.hs, `getPolicyHealth`. */
function policyHealth(cluster: Cluster, node: number): PolicyHealth {
  const { name, spindlesUsed, spindlesMax, vcpuRatio } = nodeFigures(cluster, node);
  const limit = cluster.facts.vcpuRatio[node] as number;
  const violation =
    spindlesUsed > spindlesMax ? "FailDisk" : vcpuRatio > limit ? "FailCPU" : undefined;
  return { node: name, violation };
}

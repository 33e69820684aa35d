/** Problems of nodes in words, worst first. */
import { type Cluster, type NodeFigures, nodeFigures } from "@ganeti-ts/htools";
import type { GroupHealth } from "../health.js";
import { sizeText } from "./sizes.js";

/** One line per problem: the node, and its description. */
export function troubles(cluster: Cluster, health: GroupHealth): string[] {
  const told = (nodes: readonly number[], words: (node: NodeFigures) => string) =>
    nodes.map((node) => {
      const figures = nodeFigures(cluster, node);
      return `${figures.alias} ${words(figures)}`;
    });
  return [
    ...told(health.failingN1, (node) => n1Words(cluster, node)),
    ...told(
      health.stuck ?? [],
      () => "could not be emptied: not all of its instances find another place",
    ),
    ...told(health.offline, offlineWords),
    ...told(health.conflicting, conflictWords),
  ];
}

function n1Words(cluster: Cluster, node: NodeFigures): string {
  const [worst] = node.peers;
  const peer = worst === undefined ? "another node" : nodeFigures(cluster, worst[0]).alias;
  const free = Math.min(node.memoryFreeMib, node.memoryUnallocatedMib);
  return `fails N+1: ${sizeText(node.memoryReservedMib)} memory kept for the failure of ${peer}, ${sizeText(free)} free`;
}

function offlineWords({ primaries, secondaries }: NodeFigures): string {
  const held = primaries.length + secondaries.length;
  if (held === 0) return "is offline";
  return `is offline, with ${countOf(primaries.length, "primary instance")} and ${secondaries.length} secondary`;
}

function conflictWords({ primaryTags }: NodeFigures): string {
  const repeated = primaryTags.filter(([, count]) => count > 1);
  const tags = repeated.map(([tag, count]) => `${tag} (${count} times)`);
  return `has instances that are to be kept apart: ${tags.join(", ")}`;
}

const countOf = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`;

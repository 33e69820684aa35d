/** Bar view of a cluster (`--view`): problems first, then every node with bars of its utilisation. */
import {
  type Cluster,
  formatFixed,
  groupView,
  type NodeFigures,
  nodeFigures,
} from "@ganeti-ts/htools";
import type { GroupHealth } from "../health.js";
import type { Terminal } from "../ports.js";
import { type Paint, painter } from "../printing/paint.js";
import { bar, percent } from "./bar.js";
import { sizeText } from "./sizes.js";
import { troubles } from "./troubles.js";

/** Width used if the output is not a terminal. */
const pageColumns = 110;

/** One block per group: its problems, then its nodes, those that fail N+1 first, then in order. */
export function clusterView(
  cluster: Cluster,
  healths: readonly GroupHealth[],
  terminal: Terminal | undefined,
): string {
  const paint = painter(terminal?.colour ?? false);
  const columns = terminal?.columns ?? pageColumns;
  return healths.map((health) => groupBlock(cluster, health, columns, paint)).join("\n");
}

function groupBlock(cluster: Cluster, health: GroupHealth, columns: number, paint: Paint): string {
  const { name, allocationPolicy } = cluster.data.groups[health.group] as GroupName;
  const { nodes, instances } = groupView(cluster, health.group);
  const counts = `${nodes.length} nodes, ${instances.length} instances`;
  const heading = `Group ${name} (${allocationPolicy}): ${counts}, score ${formatFixed(health.score, 8)}`;
  const wrong = troubles(cluster, health).map((line) => paint("bad", `  ! ${line}`));
  const good = paint("good", "  nothing is wrong");
  return [
    paint("heading", heading),
    ...(wrong.length > 0 ? wrong : [good]),
    "",
    ...nodeLines(cluster, nodes, columns, paint),
    "",
  ].join("\n");
}

type GroupName = { readonly name: string; readonly allocationPolicy: string };

function nodeLines(
  cluster: Cluster,
  nodes: readonly number[],
  columns: number,
  paint: Paint,
): string[] {
  const rows = nodes.map((node) => nodeFigures(cluster, node));
  const shown = [...rows.filter(isBad), ...rows.filter((node) => !isBad(node))];
  const cells = shown.map((node) => ({ node, ...figuresOf(node) }));
  const widest = (texts: readonly string[]) =>
    texts.reduce((width, text) => Math.max(width, text.length), 0);
  const names = widest(["node", ...cells.map(({ node }) => node.alias)]);
  const kinds = (["memory", "disk", "vcpus"] as const).map((kind) => ({
    kind,
    words: widest(cells.map((cell) => cell[kind].words)),
  }));
  const held = widest(["instances", ...cells.map((cell) => cell.instances)]);
  const fixed = 4 + names + held + 2 + kinds.reduce((sum, { words }) => sum + words + 3, 0);
  // On a narrow terminal figures say as much as a bar of one or two letters, so bars are omitted.
  const room = Math.min(30, Math.floor((columns - fixed) / kinds.length));
  const width = room < 3 ? 0 : room;
  const beside = width === 0 ? "" : " ";
  const header = [
    `    ${"node".padEnd(names)}`,
    ...kinds.map(({ kind, words }) => kind.padEnd(width + beside.length + words)),
    "instances",
  ].join("  ");
  const lines = cells.map((cell) => {
    const { node } = cell;
    const bars = kinds.map(({ kind, words }) => {
      const { parts, total } = cell[kind];
      return `${bar(parts, total, width)}${beside}${cell[kind].words.padStart(words)}`;
    });
    const line = [`  ${markOf(node)} ${node.alias.padEnd(names)}`, ...bars, cell.instances].join(
      "  ",
    );
    if (isBad(node)) return paint("bad", line);
    return node.offline ? paint("quiet", line) : line;
  });
  const bars = width === 0 ? "" : "█ used  ▒ kept for the failure of another node  ░ free; ";
  const legend = `    ${bars}instances: primary + secondary`;
  return [paint("quiet", header.trimEnd()), ...lines, paint("quiet", legend)];
}

const isBad = ({ failsN1, offline }: NodeFigures) => failsN1 && !offline;

function markOf(node: NodeFigures): string {
  if (node.offline) return "-";
  return node.failsN1 ? "!" : " ";
}

function figuresOf(node: NodeFigures) {
  const { memoryTotalMib, memoryUnallocatedMib, diskTotalMib, cpuTotal, vcpuRatioMax } = node;
  const memoryUsed = memoryTotalMib - memoryUnallocatedMib;
  const diskUsed = diskTotalMib - node.diskFreeMib;
  const vcpusMax = cpuTotal * vcpuRatioMax;
  const of = (used: number, total: number) =>
    total > 0 ? `${percent(used, total)} of ${sizeText(total)}` : "unknown";
  return {
    memory: {
      parts: [memoryUsed, Math.min(node.memoryReservedMib, Math.max(0, memoryUnallocatedMib))],
      total: memoryTotalMib,
      words: of(memoryUsed, memoryTotalMib),
    },
    disk: { parts: [diskUsed], total: diskTotalMib, words: of(diskUsed, diskTotalMib) },
    vcpus: {
      parts: [node.vcpusUsed],
      total: vcpusMax,
      words: vcpusMax > 0 ? `${node.vcpusUsed} of ${Number(vcpusMax.toFixed(1))}` : "unknown",
    },
    instances: `${node.primaries.length} + ${node.secondaries.length}`,
  };
}

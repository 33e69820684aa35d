// The cluster score, computed from scratch each time; for pairs, updated node by node.
import { type PlainNode, sum } from "./model.js";

const distinctBeyondFirst = (items: readonly string[]) => items.length - new Set(items).size;
const share = (node: PlainNode, disk: number, spindles: number) => {
  const total = node.exclusive ? node.spindleTotal : node.diskTotal;
  return total === 0 ? 1 : (node.exclusive ? spindles : disk) / total;
};
const load = (kind: number) => (node: PlainNode) => node.load[kind] as number;
const most = (node: PlainNode) => node.policy.spindleRatio * node.spindleTotal;
const placed = (node: PlainNode) => node.primaries.length + node.secondaries.length;

type Kind = "σ" | "Σ" | "offline" | "pairs";

const terms: readonly (readonly [Kind, weight: number, (node: PlainNode) => number])[] = [
  ["σ", 0.5, (node) => node.memory / node.memoryTotal],
  ["σ", 0.5, (node) => share(node, node.disk, node.spindles)],
  ["Σ", 1, (node) => (node.failsN1 ? placed(node) : 0)],
  ["σ", 1, (node) => node.reserved / node.memoryTotal],
  ["offline", 4, placed],
  ["offline", 16, (node) => node.primaries.length],
  ["σ", 0.5, (node) => node.vcpus / node.cpuTotal / node.cpuSpeed],
  ["σ", 1, load(0)],
  ["σ", 1, load(1)],
  ["σ", 1, load(2)],
  ["σ", 1, load(3)],
  ["Σ", 2, (node) => distinctBeyondFirst(node.tags)],
  ["σ", 0.5, (node) => node.use / most(node)],
  ["σ", 0.5, (node) => node.memoryPlanned / node.memoryTotal],
  ["σ", 0.5, (node) => share(node, node.diskPlanned, node.spindlesPlanned)],
  ["σ", 0.5, (node) => node.vcpusPlanned / node.cpuTotal / node.cpuSpeed],
  ["σ", 0.5, (node) => node.usePlanned / most(node)],
  ["Σ", 1, (node) => node.locationScore],
  ["pairs", 1, () => 0],
  ["Σ", 0.25, (node) => node.reserved / node.memoryTotal],
];

const pairValue = (nodes: readonly PlainNode[]) =>
  distinctBeyondFirst(nodes.filter((node) => !node.offline).flatMap(({ pairs }) => pairs));

export function plainScore(nodes: readonly PlainNode[]): number {
  const online = nodes.filter((node) => !node.offline);
  const away = nodes.filter((node) => node.offline);
  if (online.length === 0) return 0;
  let score = 0;
  for (const [kind, weight, value] of terms) score += weight * statistic(kind, value);
  return score;

  function statistic(kind: Kind, value: (node: PlainNode) => number): number {
    if (kind === "pairs") return pairValue(nodes);
    if (kind === "offline") return sum(away.map(value));
    if (kind === "Σ") return sum(online.map(value));
    const mean = sum(online.map(value)) / online.length;
    const squares = online.map((node) => (value(node) - mean) * (value(node) - mean));
    return Math.sqrt(sum(squares) / online.length);
  }
}

export type Replaced = readonly [at: number, after: PlainNode];

/** The score after replacing nodes one after the other, by the rule Ganeti has for pairs. */
export function updatedScore(nodes: readonly PlainNode[], changes: readonly Replaced[]): number {
  const online = nodes.filter((node) => !node.offline);
  if (online.length === 0) return 0;
  const count = online.length;
  let score = 0;
  for (const [kind, weight, value] of terms) {
    score += weight * updated(kind, value);
  }
  return score;

  function updated(kind: Kind, value: (node: PlainNode) => number): number {
    if (kind === "pairs") return pairValue(withReplaced(nodes, changes));
    const concerned = nodes.filter((node) => node.offline === (kind === "offline"));
    let total = sum(concerned.map(value));
    const mean = total / count;
    const squares = concerned.map((node) => (value(node) - mean) * (value(node) - mean));
    let variance = sum(squares) / count;
    for (const [at, after] of changes) {
      const before = nodes[at] as PlainNode;
      if (before.offline !== (kind === "offline")) continue;
      const x = value(before);
      const y = value(after);
      const change = count * (y * y - x * x) - 2 * total * (y - x) - (y - x) * (y - x);
      const next = variance + change / (count * count);
      variance = Number.isNaN(next) ? 0 : Math.max(next, 0);
      total += y - x;
    }
    return kind === "σ" ? Math.sqrt(variance) : total;
  }
}

export const withReplaced = (nodes: readonly PlainNode[], changes: readonly Replaced[]) =>
  changes.reduce<PlainNode[]>((after, [at, node]) => after.with(at, node), [...nodes]);

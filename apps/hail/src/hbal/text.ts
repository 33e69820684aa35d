/** Text output of hbal, worded as Ganeti's. Source: Ganeti, HTools/Program/Hbal.hs. */
import {
  type BalanceStep,
  type Cluster,
  defaultPolicy,
  formatFixed,
  formatGeneral,
  instanceAlias,
  moveText,
  nodeAlias,
  nodeFigures,
  policyRecord,
} from "@ganeti-ts/htools";
import { metricsTable } from "../printing/metrics-table.js";
import type { ChosenGroup } from "./chosen-group.js";
import type { HbalSettings } from "./settings.js";

export function loadedText({ data }: Cluster, verbosity: number): string {
  if (verbosity <= 1) return "";
  const policy = policyRecord(data.policy ?? defaultPolicy);
  return `Loaded cluster tags: ${data.tags.join(",")}\nLoaded cluster ipolicy: ${policy}\n`;
}

export function countText({ data, commonSuffixLength }: Cluster, verbosity: number): string {
  const { nodes, instances } = data;
  const name = nodes[0]?.name ?? instances[0]?.name ?? "";
  const suffix = name.slice(name.length - commonSuffixLength);
  const stripped =
    suffix && verbosity > 1 ? `Note: Stripping common suffix of '${suffix}' from names\n` : "";
  return `Loaded ${nodes.length} nodes, ${instances.length} instances\n${stripped}`;
}

export function groupText(
  cluster: Cluster,
  group: ChosenGroup,
  { verbosity, ignoreSoftErrors }: HbalSettings,
): string {
  const { nodes, instances, bad, policies } = group;
  const violating = policies.filter(({ violation }) => violation !== undefined);
  const lines = [
    `Group size ${nodes.length} nodes, ${instances.length} instances`,
    `Selected node group: ${group.name}`,
  ];
  if (verbosity >= 1) {
    const count = `${bad.nodes.length} bad nodes, ${bad.instances.length} bad instances`;
    lines.push(`Initial check done: ${count}.`);
  }
  if (verbosity > 4) {
    const statuses = policies.map(
      ({ node, violation }) => `("${node}",${violation ? `Bad ${violation}` : "Ok ()"})`,
    );
    lines.push(
      `Bad nodes: ${JSON.stringify(bad.nodes.map((node) => cluster.data.nodes[node]?.name))}`,
      `N+1 happy nodes: ${JSON.stringify(policies.map(({ node }) => node))}`,
      `Node policy status: [${statuses.join(",")}]`,
    );
  }
  if (bad.nodes.length > 0) {
    const warning = "continuing but no guarantee that the cluster will end N+1 happy.";
    lines.push(`Cluster is not N+1 happy, ${warning}`);
  }
  if (violating.length > 0) {
    lines.push(
      `The cluster contains ${violating.length} policy-violating nodes.`,
      ignoreSoftErrors
        ? "Continuing, ignoring soft errors."
        : "Continuing, but the set of moves might be too restricted; consider using the --ignore-soft-errors option.",
    );
  }
  return `${lines.join("\n")}\n`;
}

export const initialText = (
  cluster: Cluster,
  nodes: readonly number[],
  score: number,
  verbosity: number,
): string =>
  verbosity > 2
    ? `Initial coefficients: overall ${formatFixed(score, 8)}\n${metricsTable(cluster, nodes)}`
    : `Initial score: ${formatFixed(score, 8)}\n`;

export const balancedText = (score: number, optimum: number, minScore: number): string =>
  `Cluster is already well balanced (initial score ${formatGeneral(score, 6)},
optimum score due to N+1 reservations ${formatGeneral(optimum, 6)},
minimum score ${formatGeneral(minScore, 6)}).
Nothing to do, exiting
`;

/** Returns a function that formats a step, counted from 1, on a line aligned with the others. */
export function stepLines(cluster: Cluster, { nodes, instances }: ChosenGroup) {
  const widest = (names: readonly string[]) =>
    names.reduce((width, name) => Math.max(width, [...name].length), 0);
  const instanceWidth = widest(instances.map((index) => instanceAlias(cluster, index)));
  const placeWidth = 2 * widest(nodes.map((node) => nodeAlias(cluster, node))) + 1;
  const pad = (text: string, width: number) =>
    text + " ".repeat(Math.max(0, width - [...text].length));
  return (step: BalanceStep, position: number): string => {
    const place = (seat: BalanceStep["from"]) => pad(placeText(cluster, seat), placeWidth);
    const name = pad(instanceAlias(cluster, step.index), instanceWidth);
    const score = formatFixed(step.score, 8).padStart(12);
    const number = String(position).padStart(3);
    const action = moveText(cluster, step);
    return `  ${number}. ${name} ${place(step.from)} => ${place(step.to)} ${score} a=${action}\n`;
  };
}

/** Primary and, if there is one, secondary. */
const placeText = (cluster: Cluster, { primary, secondary }: BalanceStep["from"]): string =>
  [primary, secondary]
    .filter((node) => node >= 0)
    .map((node) => nodeAlias(cluster, node))
    .join(":");

/** Scores before and after balancing, and the number of steps between them. */
interface Improvement {
  readonly before: number;
  readonly after: number;
  readonly stepCount: number;
}

export function finalText(
  cluster: Cluster,
  { nodes }: ChosenGroup,
  { before, after, stepCount }: Improvement,
  verbosity: number,
): string {
  const length = verbosity >= 1 ? `Solution length=${stepCount}\n` : "";
  const score = formatFixed(after, 8);
  if (stepCount === 0) return `No solution found\n${length}`;
  if (verbosity > 2) {
    return `Final coefficients:   overall ${score}\n${metricsTable(cluster, nodes)}${length}`;
  }
  return `Cluster score improved from ${formatFixed(before, 8)} to ${score}\n${length}`;
}

/** Unallocated memory and free disk of some nodes, in MiB. */
export function resourcesOf(cluster: Cluster, nodes: readonly number[]): string {
  const figures = nodes.map((node) => nodeFigures(cluster, node));
  const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
  const memory = sum(figures.map(({ memoryUnallocatedMib }) => memoryUnallocatedMib));
  return `mem=${memory} disk=${sum(figures.map(({ diskFreeMib }) => diskFreeMib))}`;
}

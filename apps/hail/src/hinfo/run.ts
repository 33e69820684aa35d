/** hinfo: prints information about a cluster. Source: Ganeti, HTools/Program/Hinfo.hs. */
import {
  badItems,
  type Cluster,
  defaultPolicy,
  formatFixed,
  groupView,
  policyRecord,
  scoreOf,
  splitInstances,
} from "@ganeti-ts/htools";
import { groupHealths } from "../health.js";
import { changeAskedNodes, loadSource } from "../loading/load-source.js";
import type { Ports } from "../ports.js";
import { jsonText } from "../printing/json.js";
import { metricsTable } from "../printing/metrics-table.js";
import { tableText } from "../printing/table.js";
import { instanceMapText, nodeTableText } from "../printing/tables.js";
import { print } from "../program.js";
import type { Settings } from "../settings.js";

export async function runHinfo(
  settings: Settings,
  _operands: readonly string[],
  ports: Ports,
): Promise<number> {
  const { verbosity } = settings;
  const cluster = await loadSource(settings, ports);
  if (settings.json || settings.view) {
    changeAskedNodes(cluster, settings);
    print(await otherText(cluster, settings, ports), ports);
    ports.stderr(tables(cluster, settings));
    return 0;
  }
  print(`Loaded cluster tags: ${cluster.data.tags.join(",")}\n`, ports);
  if (verbosity > 2) print(policyLine(cluster), ports);
  changeAskedNodes(cluster, settings);

  const all = [...cluster.data.nodes.keys()];
  print(countLines(cluster, verbosity), ports);
  tellSplit(cluster, verbosity, ports);
  print(groupLines(cluster, verbosity), ports);
  ports.stderr(tables(cluster, settings));
  print(`Cluster coefficients:\n${metricsTable(cluster, all)}`, ports);
  print(`Cluster score: ${formatFixed(scoreOf(cluster, all), 8)}\n`, ports);
  return 0;
}

/** Output that Ganeti's hinfo does not have; its modules load only if it is requested. */
async function otherText(cluster: Cluster, settings: Settings, ports: Ports): Promise<string> {
  if (settings.json) {
    const { hinfoReport } = await import("./report.js");
    return jsonText(hinfoReport(cluster));
  }
  const { clusterView } = await import("../view/cluster-view.js");
  return clusterView(cluster, groupHealths(cluster, false), await ports.terminal("stdout"));
}

const tables = (cluster: Cluster, settings: Settings): string =>
  instanceMapText("Instances", cluster, settings) + nodeTableText("Cluster", cluster, settings);

const policyLine = ({ data }: Cluster): string =>
  `Loaded cluster ipolicy: ${policyRecord(data.policy ?? defaultPolicy)}\n`;

function countLines({ data, commonSuffixLength }: Cluster, verbosity: number): string {
  const { nodes, instances, groups } = data;
  const empty = instances.length === 0 && verbosity > 1 ? "Cluster is empty.\n" : "";
  const counts = [
    countOf(nodes.length, "node"),
    countOf(instances.length, "instance"),
    countOf(groups.length, "node group"),
  ];
  const name = nodes[0]?.name ?? instances[0]?.name ?? "";
  const suffix = name.slice(name.length - commonSuffixLength);
  const stripped =
    suffix && verbosity > 2 ? `Note: Stripping common suffix of '${suffix}' from names\n` : "";
  return `${empty}Loaded ${counts.join(", ")}\n${stripped}`;
}

const countOf = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`;

/** Prints on stderr the names of instances whose nodes are in two groups. */
function tellSplit(cluster: Cluster, verbosity: number, ports: Ports): void {
  const split = splitInstances(cluster);
  if (split.length === 0) {
    if (verbosity > 1) print("No split instances found\n", ports);
    return;
  }
  print("Found instances belonging to multiple node groups:\n", ports);
  const names = split.map((index) => `  ${cluster.data.instances[index]?.name}\n`);
  ports.stderr(names.join(""));
}

/** One line per group that has nodes, and whether all its nodes are N+1 happy. */
function groupLines(cluster: Cluster, verbosity: number): string {
  const groups = cluster.data.groups.flatMap(({ name }, index) => {
    const { nodes, instances } = groupView(cluster, index);
    if (nodes.length === 0) return [];
    const bad = badItems(cluster, nodes);
    return [
      {
        name,
        nodes: nodes.length,
        instances: instances.length,
        badNodes: bad.nodes.length,
        badInstances: bad.instances.length,
        score: scoreOf(cluster, nodes),
      },
    ];
  });
  const isHappy = groups.every(({ badNodes }) => badNodes === 0);
  const verdict = `Cluster is N+1 ${isHappy ? "happy" : "unhappy"}\n`;
  if (verbosity <= 1) return verdict;
  type Group = (typeof groups)[number];
  const column = (header: string, numeric: boolean, cell: (group: Group) => unknown) => ({
    header,
    numeric,
    cells: groups.map((group) => String(cell(group))),
  });
  const columns = [
    column("Group", false, ({ name }) => name),
    column("Nodes", true, ({ nodes }) => nodes),
    column("Instances", true, ({ instances }) => instances),
    column("Bad_Nodes", true, ({ badNodes }) => badNodes),
    column("Bad_Instances", true, ({ badInstances }) => badInstances),
    column("N+1", false, ({ badNodes }) => (badNodes === 0 ? "True" : "False")),
    column("Score", true, ({ score }) => formatFixed(score, 8)),
  ];
  return `Node group information:\n${tableText(columns, groups.length, "  ")}${verdict}`;
}

/** hspace: computes how many more instances fit on a cluster. Source: Ganeti, HTools/Program/Hspace.hs. */
import {
  type CapacityPlan,
  type CapacityRun,
  type CapacitySteps,
  type Cluster,
  clusterStatistics,
  DataError,
  formatFixed,
  groupsThatBreakN1,
  planCapacity,
  scoreOf,
  standardCapacity,
  tieredCapacity,
  writeClusterText,
} from "@ganeti-ts/htools";
import { changeAskedNodes, loadSource } from "../loading/load-source.js";
import { writePage } from "../page/write-page.js";
import type { Ports } from "../ports.js";
import { metricsTable } from "../printing/metrics-table.js";
import { saveState } from "../printing/saved-state.js";
import { nodeTableText } from "../printing/tables.js";
import { print } from "../program.js";
import { type Progress, progress } from "../progress.js";
import { allocationMap } from "./allocation-map.js";
import { humanReport } from "./human-report.js";
import { jsonReport } from "./json-report.js";
import { machineReport } from "./machine-report.js";
import { hspacePage } from "./page.js";
import type { Report } from "./report.js";
import type { HspaceSettings } from "./settings.js";

export async function runHspace(
  settings: HspaceSettings,
  _operands: readonly string[],
  ports: Ports,
): Promise<number> {
  const cluster = await loadSource(settings, ports);
  changeAskedNodes(cluster, settings);
  const { lengthMax } = settings;
  const planned = planCapacity(cluster, {
    ...settings,
    limit: lengthMax === -1 ? undefined : lengthMax,
  });
  if (!planned.ok) throw new DataError(planned.reason);
  const plan = planned.value;
  tellStart(plan, settings, ports);

  const report: Report = settings.json
    ? jsonReport
    : settings.machineReadable
      ? machineReport
      : humanReport;
  const before = { plan, statistics: clusterStatistics(cluster) };
  print(report.start(before), ports);
  tellNodes(plan, settings, ports);
  if (plan.tieredSpecs.length === 0) {
    throw new DataError("Empty list of specs received from the cluster");
  }
  const shown = await progress(ports);
  const run = (name: "tiered" | "standard") => {
    const steps = name === "tiered" ? tieredCapacity(plan) : standardCapacity(plan);
    const done = finish(steps, name, shown);
    const spec = name === "tiered" ? report.tieredSpec : report.standardSpec;
    print(spec(before, done), ports);
    tellRun(done, name, settings, ports);
    return { run: done, statistics: clusterStatistics(done.after) };
  };
  const tiered = run("tiered");
  print(report.tiered(before, tiered), ports);
  const standard = run("standard");
  print(report.standard(before, tiered, standard), ports);
  writePage(() => hspacePage(before, tiered, standard), settings, ports);
  return 0;
}

function finish(
  steps: CapacitySteps<{ ok: true; value: CapacityRun } | { ok: false; reason: string }>,
  name: string,
  shown: Progress,
): CapacityRun {
  for (;;) {
    const step = steps.next();
    if (!step.done) {
      const { placed, spec } = step.value;
      const { memoryMib, diskMib, vcpus } = spec;
      shown.tell(
        `${name} allocation: ${placed} instances; trying MEM ${memoryMib}, DSK ${diskMib}, CPU ${vcpus}`,
      );
      continue;
    }
    shown.clear();
    if (!step.value.ok) throw new DataError(`failure during allocation: ${step.value.reason}`);
    return step.value.value;
  }
}

/** Printed on stderr before anything is computed. */
function tellStart({ cluster }: CapacityPlan, settings: HspaceSettings, ports: Ports): void {
  const { verbosity } = settings;
  const { nodes, instances } = cluster.data;
  const name = nodes[0]?.name ?? instances[0]?.name ?? "";
  const suffix = name.slice(name.length - cluster.commonSuffixLength);
  if (suffix && verbosity > 1) {
    ports.stderr(`Note: Stripping common suffix of '${suffix}' from names\n`);
  }
  ports.stderr(nodeTableText("Initial cluster", cluster, settings));
  if (verbosity > 2) {
    const all = [...nodes.keys()];
    const score = formatFixed(scoreOf(cluster, all), 8);
    ports.stderr(`Initial coefficients: overall ${score}\n${metricsTable(cluster, all)}`);
  }
}

/** Prints which nodes and groups can take instances, and which cannot. */
function tellNodes({ cluster, scope }: CapacityPlan, settings: HspaceSettings, ports: Ports): void {
  if (settings.verbosity <= 3) return;
  const { nodes, groups } = cluster.data;
  const named = (names: readonly (string | undefined)[]) => JSON.stringify(names);
  if (scope.badNodes.length > 0) {
    ports.stderr(`Bad nodes: ${named(scope.badNodes.map((node) => nodes[node]?.name))}\n`);
  }
  const badGroups = groupsThatBreakN1(cluster, settings);
  if (badGroups.length > 0) {
    ports.stderr(`Bad groups: ${named(badGroups.map((group) => groups[group]?.name))}\n`);
  }
  ports.stderr(`Allocatable nodes: ${candidatesText(cluster, scope, settings)}\n`);
}

/** Candidates in Ganeti's format: single nodes, or each node with its possible secondaries. */
function candidatesText(
  { facts }: Cluster,
  { copies, groups }: CapacityPlan["scope"],
  { simulate }: HspaceSettings,
): string {
  const first = simulate.length > 0 ? 1 : 0;
  const nodes = groups.flat().sort((a, b) => a - b);
  const listed = (indices: readonly number[]) =>
    `[${indices.map((index) => index + first).join(",")}]`;
  if (copies === 1) return `Left ${listed(nodes)}`;
  const pairs = nodes.map((node) => {
    const partners = nodes.filter(
      (other) => other !== node && facts.groupOf[other] === facts.groupOf[node],
    );
    return `(${node + first},${listed(partners)})`;
  });
  return `Right [${pairs.join(",")}]`;
}

/** Reports the result of a run on stderr and in files. */
function tellRun(
  run: CapacityRun,
  name: "tiered" | "standard",
  settings: HspaceSettings,
  ports: Ports,
): void {
  const title = name === "tiered" ? "Tiered" : "Standard";
  if (settings.verbosity > 1) {
    ports.stderr(`${title} allocation map\n${allocationMap(run)}`);
  }
  ports.stderr(nodeTableText(`${title} allocation`, run.after, settings));
  saveState(name, `after ${name} allocation`, writeClusterText(run.after), settings, ports);
}

/** Questions about a simulated cluster, and changes of its nodes and groups. */
import {
  applyChange,
  colourings,
  DataError,
  fewestColours,
  loadCluster,
  nodesToReboot,
  planCapacity,
  rebootGraph,
  rebootGroups,
  requestDefaults,
  standardCapacity,
  tieredCapacity,
  tiersOf,
} from "@ganeti-ts/htools";
import type { ClusterData, DiskTemplate } from "@ganeti-ts/protocol";
import { sizeText } from "../words.js";
import type { GroupLimits, Report } from "./operations.js";
import { type Done, OperationFault, type Pace, said } from "./placing.js";

type CapacityRuns = ReturnType<typeof tieredCapacity>;
type Spec = Parameters<typeof tiersOf>[0][number]["spec"];

const specText = ({ memoryMib, diskMib, vcpus }: Spec): string =>
  `${sizeText(memoryMib)} memory, ${sizeText(diskMib)} disk, ${vcpus} vcpus`;

/** Number of further instances that fit, as `hspace` counts them: of the standard size, and of ever smaller sizes. */
export async function capacity(
  data: ClusterData,
  diskTemplate: DiskTemplate,
  pace: Pace,
): Promise<Done> {
  const plan = planCapacity(loadCluster(data), { diskTemplate });
  if (!plan.ok) throw new OperationFault(plan.reason);
  const lines: string[] = [];
  let title = "";
  let stopped = false;
  for (const [name, runs] of [
    ["standard size", standardCapacity(plan.value)],
    ["from the largest size on", tieredCapacity(plan.value)],
  ] as const) {
    const run = await finished(runs, name, pace);
    if (run === undefined) {
      stopped = true;
      break;
    }
    if (!run.ok) throw new OperationFault(run.reason);
    const { placed, failures, spec } = run.value;
    lines.push(`${name} (${specText(spec)}): ${placed.length} instances`);
    if (title === "") title = `${placed.length} more instances of the standard size fit`;
    else
      for (const tier of tiersOf(placed)) lines.push(`    ${tier.count} × ${specText(tier.spec)}`);
    const [most] = failures;
    if (most !== undefined) lines.push(`    then: ${most.reason} on ${most.count} candidates`);
  }
  if (title === "") title = "stopped before the first result";
  return { data, report: { title, lines, scores: [], stopped } };
}

async function finished(runs: CapacityRuns, name: string, pace: Pace) {
  while (true) {
    const step = runs.next();
    if (step.done) return step.value;
    if (!(await pace(`${name}: ${step.value.placed} instances fit so far`))) return undefined;
  }
}

/** Groups of nodes that can be rebooted together, as `hroller` finds them, with the moves before each. */
export function reboots(data: ClusterData, fullEvacuation: boolean): Report {
  const cluster = loadCluster(data);
  const nodes = nodesToReboot(cluster);
  const { classes } = fewestColours(colourings(rebootGraph(cluster, nodes, false)));
  const nameOf = (index: number | undefined) => data.nodes[index ?? -1]?.name;
  try {
    const groups = rebootGroups(cluster, classes, nodes, { fullEvacuation });
    const lines = groups.flatMap((group, at) => [
      `${at + 1}. ${group.nodes.map(nameOf).join(", ")}`,
      ...group.moves.map(
        ({ index, primary, secondary }) =>
          `    first ${data.instances[index]?.name} → ${[nameOf(primary), nameOf(secondary)].flatMap((name) => name ?? []).join(", ")}`,
      ),
    ]);
    return { ...said(`${nodes.length} nodes in ${groups.length} rounds of reboots`), lines };
  } catch (error) {
    if (error instanceof DataError) return said(error.message);
    throw error;
  }
}

/** Adds empty nodes of the size of another one. */
export function addNodes(data: ClusterData, like: string, count: number): Done {
  if (!(count >= 1)) throw new OperationFault(`${count} nodes: at least 1 is needed`);
  if (!data.nodes.some(({ name }) => name === like))
    throw new OperationFault(`there is no node ${like}`);
  const request = { type: "node-evacuate", instanceIndices: [], mode: "all" } as const;
  const change = { kind: "add-nodes", like, by: count } as const;
  const { cluster } = applyChange({ cluster: data, request, options: requestDefaults }, change);
  const taken = new Set(data.nodes.map(({ name }) => name));
  const nodes = cluster.nodes.map((node, at) => {
    if (at < data.nodes.length) return node;
    let name = node.name;
    for (let number = 2; taken.has(name); number++) name = `${node.name}-${number}`;
    taken.add(name);
    return { ...node, name };
  });
  return { data: { ...cluster, nodes }, report: said(`${count} empty nodes like ${like} added`) };
}

/** Takes a node down with its instances still on it, or brings it back. */
export function setOffline(data: ClusterData, node: string, offline: boolean): Done {
  if (!data.nodes.some(({ name }) => name === node))
    throw new OperationFault(`there is no node ${node}`);
  const nodes = data.nodes.map((one) => (one.name === node ? { ...one, offline } : one));
  return {
    data: { ...data, nodes },
    report: said(offline ? `${node} is down` : `${node} is back`),
  };
}

/** Changes limits of a node group. */
export function setLimits(data: ClusterData, limits: GroupLimits): Done {
  const { group: name, allocationPolicy, vcpuRatio, spindleRatio } = limits;
  if (!data.groups.some((group) => group.name === name)) {
    throw new OperationFault(`there is no group ${name}`);
  }
  for (const ratio of [vcpuRatio, spindleRatio]) {
    if (ratio !== undefined && !(ratio > 0))
      throw new OperationFault(`a ratio of ${ratio}: it must be above 0`);
  }
  const groups = data.groups.map((group) =>
    group.name !== name
      ? group
      : {
          ...group,
          allocationPolicy: allocationPolicy ?? group.allocationPolicy,
          policy: {
            ...group.policy,
            vcpuRatio: vcpuRatio ?? group.policy.vcpuRatio,
            spindleRatio: spindleRatio ?? group.policy.spindleRatio,
          },
        },
  );
  return { data: { ...data, groups }, report: said(`limits of group ${name} changed`) };
}

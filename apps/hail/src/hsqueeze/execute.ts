/** Execution of a plan through jobs (`-X`). Source: Ganeti, HTools/Program/Hsqueeze.hs. */
import { type Cluster, jobSets, type SqueezePlan, standbyTag } from "@ganeti-ts/htools";
import { annotating } from "../jobs/annotation.js";
import { runnerFor } from "../jobs/connect.js";
import { executeJobSets, type JobSet } from "../jobs/execute.js";
import type { Opcode } from "../jobs/job-runner.js";
import { moveSets } from "../jobs/move-sets.js";
import type { Ports } from "../ports.js";
import { ganetiVersion } from "../version.js";
import type { HsqueezeSettings } from "./settings.js";

/**
 * Returns the exit code. Throws a DataError if jobs failed, or if the cluster was not read from a running
 * master.
 */
export async function executePlan(
  cluster: Cluster,
  plan: SqueezePlan,
  settings: HsqueezeSettings,
  ports: Ports,
): Promise<0 | 2> {
  const program = "hsqueeze";
  const connect = await runnerFor(program, settings, ports);
  const doing = plan.action === "expand" ? "expanding" : "condensing";
  const annotate = annotating({
    source: program,
    comment: `${doing} by ${plan.nodes.length} nodes ${ganetiVersion}`,
    reason: undefined,
    nowMicros: ports.nowMicros(),
  });
  const sets = planSets(cluster, plan);
  return executeJobSets({ program, sets, annotate, connect }, ports);
}

/**
 * Nodes to be activated are switched on first; nodes to be deactivated are emptied, tagged one by one, and
 * switched off.
 */
function planSets(cluster: Cluster, { action, nodes, steps }: SqueezePlan): readonly JobSet[] {
  const names = nodes.map((node) => cluster.data.nodes[node]?.name as string);
  const moves = moveSets(cluster, jobSets(cluster, steps), "Moving instances");
  if (action === "expand") return [...powerSets(names, "on"), ...moves];
  return [...moves, ...names.map(tagSet), ...powerSets(names, "off")];
}

const tagSet = (name: string): JobSet => ({
  description: `Tagging node ${name} with standby`,
  jobs: [[{ OP_ID: "OP_TAGS_SET", kind: "node", tags: [standbyTag], name }]],
});

/** Empty without nodes: Ganeti applies a power command without nodes to every node. */
function powerSets(names: readonly string[], state: "on" | "off"): JobSet[] {
  if (names.length === 0) return [];
  const marks = names.map(
    (name): Opcode => ({
      OP_ID: "OP_NODE_SET_PARAMS",
      node_name: name,
      force: false,
      offline: state === "off",
      auto_promote: false,
    }),
  );
  const command: Opcode = {
    OP_ID: "OP_OOB_COMMAND",
    node_names: [...names],
    command: `power-${state}`,
    timeout: 60,
    ignore_status: false,
    power_delay: 2,
  };
  return [{ description: `Powering ${state} nodes`, jobs: [[...marks, command]] }];
}

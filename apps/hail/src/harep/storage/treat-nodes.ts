/** Repairs of nodes, carried out one after the other before the instances on them are treated. */
import type { HarepReport } from "@ganeti-ts/protocol";
import { runJobs } from "../../jobs/execute.js";
import type { LookPorts } from "./look.js";
import { faultOf } from "./look.js";
import { type NodeRepair, nodeRepairs, roomAfter, type StorageFindings } from "./node-storage.js";

export type NodeAction = NonNullable<HarepReport["nodes"]>[number];

export interface NodeTreatment extends Omit<LookPorts, "annotate" | "warn"> {
  readonly isDryRun: boolean;
  /** Whether tags allow repairs of the instance. */
  readonly allows: (instance: string) => boolean;
  /** Whether tags of the node's group or of the cluster do. */
  readonly allowsNode: (node: string) => boolean;
  /** Adds the common parameters, with the reason. */
  readonly annotate: (repair: NodeRepair) => NodeRepair["opcode"];
  readonly tell: (action: NodeAction) => void;
}

/** Returns the room (MiB) for new copies, by node; nodes whose repair was not possible have none. */
export async function treatNodes(
  findings: StorageFindings,
  treatment: NodeTreatment,
): Promise<Map<string, number>> {
  const repairs = nodeRepairs(findings);
  const room = roomAfter(findings, repairs);
  for (const repair of repairs) {
    const action = await treatNode(repair, treatment);
    treatment.tell(action);
    if (action.outcome !== "done" && action.outcome !== "planned") room.delete(repair.node);
  }
  return room;
}

async function treatNode(repair: NodeRepair, treatment: NodeTreatment): Promise<NodeAction> {
  const { node, kind, why, instances } = repair;
  const { isDryRun, allows, allowsNode, annotate, runner, ports } = treatment;
  const refusing = instances.filter((name) => !allows(name));
  if (refusing.length > 0 || (instances.length === 0 && !allowsNode(node))) {
    const detail = refusing.length > 0 ? refusing.join(", ") : "no tag allows it";
    return { node, kind, why, outcome: "not-allowed", detail };
  }
  if (isDryRun) return { node, kind, why, outcome: "planned" };
  const [ended] = await runJobs(runner, [[annotate(repair)]], ports);
  if (ended === undefined || ended.status === "success")
    return { node, kind, why, outcome: "done" };
  const [outcome] = await runner.outcomes([ended.id]);
  return { node, kind, why, outcome: "failed", detail: faultOf(outcome) };
}

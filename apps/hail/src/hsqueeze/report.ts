/** Output of a plan of hsqueeze, as text and as a document. */
import {
  type BalanceStep,
  type Cluster,
  jobSets,
  moveCommands,
  offlineCandidates,
  onlineCandidates,
  type SqueezePlan,
} from "@ganeti-ts/htools";
import type { HsqueezeReport } from "@ganeti-ts/protocol";
import type { HsqueezeSettings } from "./settings.js";

/** The nodes the plan was chosen from; only in verbose mode. */
export function candidatesText(cluster: Cluster, { verbosity }: HsqueezeSettings): string {
  if (verbosity <= 1) return "";
  const offline = names(cluster, offlineCandidates(cluster)).join(",");
  const online = names(cluster, onlineCandidates(cluster)).join(",");
  return `Offline candidates: ${offline}\nOnline candidates: ${online}\n`;
}

const headers = {
  expand: "'Nodes to online'",
  shrink: "'Nodes to offline'",
  none: "'No action'",
} as const;

export function planText(cluster: Cluster, plan: SqueezePlan, settings: HsqueezeSettings): string {
  const lines: string[] = settings.headers ? [headers[plan.action]] : [];
  lines.push(...names(cluster, plan.nodes));
  if (settings.verbosity > 1 && !plan.enough) {
    lines.push("Onlining all nodes will not yield enough capacity");
  }
  return lines.map((line) => `${line}\n`).join("");
}

export function planReport(cluster: Cluster, plan: SqueezePlan): HsqueezeReport {
  const actions = { expand: "online", shrink: "offline", none: "none" } as const;
  return {
    action: actions[plan.action],
    nodes: names(cluster, plan.nodes),
    enough: plan.enough,
    candidates: {
      offline: names(cluster, offlineCandidates(cluster)),
      online: names(cluster, onlineCandidates(cluster)),
    },
    jobSets: jobSets(cluster, plan.steps).map((set) => set.map((step) => move(cluster, step))),
  };
}

function move(cluster: Cluster, step: BalanceStep) {
  const instance = cluster.data.instances[step.index]?.name as string;
  const nodesOf = ({ primary, secondary }: BalanceStep["from"]) =>
    names(cluster, secondary < 0 ? [primary] : [primary, secondary]);
  return {
    instance,
    from: nodesOf(step.from),
    to: nodesOf(step.to),
    commands: [...moveCommands(cluster, step, instance)],
  };
}

const names = ({ data }: Cluster, nodes: readonly number[]): string[] =>
  nodes.map((node) => data.nodes[node]?.name as string);

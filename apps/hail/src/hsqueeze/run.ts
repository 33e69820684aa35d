/**
 * hsqueeze: switches off nodes that a cluster does not need, or brings some back. Source: Ganeti,
 * HTools/Program/Hsqueeze.hs.
 */
import { type Cluster, type SqueezePlan, squeeze, writeClusterText } from "@ganeti-ts/htools";
import { loadSource } from "../loading/load-source.js";
import type { Ports } from "../ports.js";
import { tellCommands } from "../printing/commands.js";
import { jsonText } from "../printing/json.js";
import { saveState } from "../printing/saved-state.js";
import { print } from "../program.js";
import { progress } from "../progress.js";
import { planCommands } from "./commands.js";
import { candidatesText, planReport, planText } from "./report.js";
import type { HsqueezeSettings } from "./settings.js";

export async function runHsqueeze(
  settings: HsqueezeSettings,
  _operands: readonly string[],
  ports: Ports,
): Promise<number> {
  const cluster = await loadSource(settings, ports);
  keep("original", "before hsqueeze run", cluster, settings, ports);
  if (!settings.json) print(candidatesText(cluster, settings), ports);
  const plan = await planOf(cluster, settings, ports);
  tellPlan(cluster, plan, settings, ports);
  if (settings.execute && plan.action !== "none") {
    const { executePlan } = await import("./execute.js");
    const exitCode = await executePlan(cluster, plan, settings, talkingBesides(settings, ports));
    if (exitCode !== 0) return exitCode;
  }
  keep("squeezed", doneTexts[plan.action], plan.after, settings, ports);
  return 0;
}

function tellPlan(
  cluster: Cluster,
  plan: SqueezePlan,
  settings: HsqueezeSettings,
  ports: Ports,
): void {
  if (settings.json) print(jsonText(planReport(cluster, plan)), ports);
  else print(planText(cluster, plan, settings), ports);
  const commands = planCommands(cluster, plan);
  tellCommands("Commands to run:", commands, settings, talkingBesides(settings, ports));
}

/** With a document on stdout, all other output goes to stderr. */
const talkingBesides = ({ json }: HsqueezeSettings, ports: Ports): Ports =>
  json ? { ...ports, stdout: ports.stderr } : ports;

const doneTexts = {
  expand: "after hsqueeze expansion",
  shrink: "after hsqueeze run",
  none: "after hsqueeze doing nothing",
} as const;

async function planOf(
  cluster: Cluster,
  settings: HsqueezeSettings,
  ports: Ports,
): Promise<SqueezePlan> {
  const { tell, clear } = await progress(ports);
  const plan = squeeze(cluster, settings, {
    onProgress: ({ trial, trialsMax, steps }) =>
      tell(`hsqueeze: trial ${trial} of ${trialsMax}, ${steps} steps`),
  });
  clear();
  return plan;
}

function keep(
  suffix: string,
  what: string,
  cluster: Cluster,
  settings: HsqueezeSettings,
  ports: Ports,
): void {
  const text = settings.save === undefined ? "" : writeClusterText(cluster);
  saveState(suffix, what, text, settings, ports);
}

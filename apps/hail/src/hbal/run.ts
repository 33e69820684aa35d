/** hbal: balances the nodes of a group, step by step. Source: Ganeti, HTools/Program/Hbal.hs. */
import {
  type BalanceStep,
  type Cluster,
  instanceAlias,
  jobSetLines,
  jobSets,
  optimum,
  scoreOf,
  splitInstances,
  writeClusterText,
} from "@ganeti-ts/htools";
import { annotating } from "../jobs/annotation.js";
import { runnerFor } from "../jobs/connect.js";
import { executeJobSets } from "../jobs/execute.js";
import { moveSets } from "../jobs/move-sets.js";
import { changeAskedNodes, loadSource } from "../loading/load-source.js";
import { nodeStates } from "../page/node-states.js";
import { writePage } from "../page/write-page.js";
import type { Ports } from "../ports.js";
import { tellCommands } from "../printing/commands.js";
import { jsonText } from "../printing/json.js";
import { saveState } from "../printing/saved-state.js";
import { instanceMapText, nodeTableText } from "../printing/tables.js";
import { print } from "../program.js";
import { ganetiVersion } from "../version.js";
import { chooseGroup } from "./chosen-group.js";
import { termLines } from "./explanation.js";
import { hbalPage } from "./page.js";
import { hbalReport, type Reported } from "./report.js";
import type { HbalSettings } from "./settings.js";
import { type ExplainedStep, solve } from "./solution.js";
import {
  balancedText,
  countText,
  finalText,
  groupText,
  initialText,
  loadedText,
  resourcesOf,
  stepLines,
} from "./text.js";

export async function runHbal(
  settings: HbalSettings,
  _operands: readonly string[],
  ports: Ports,
): Promise<number> {
  const { verbosity, json } = settings;
  /** Text that `--json` suppresses. */
  const say = (text: string) => {
    if (!json && text !== "") print(text, ports);
  };
  const cluster = await loadSource(settings, ports);
  say(loadedText(cluster, verbosity));
  const original = settings.save === undefined ? "" : writeClusterText(cluster);
  changeAskedNodes(cluster, settings);
  if (cluster.instanceCount === 0) {
    say("Cluster is empty, exiting.\n");
    if (json) print(jsonText(hbalReport(cluster, undefined)), ports);
    return 0;
  }
  tellSplit(cluster, verbosity, ports);
  say(countText(cluster, verbosity));
  saveState("original", "before balancing", original, settings, ports);

  const group = chooseGroup(cluster, settings.group, ports);
  say(groupText(cluster, group, settings));
  cluster.shownNodes = group.nodes;
  cluster.shownInstances = group.instances;
  ports.stderr(instanceMapText("Initial", cluster, settings));
  ports.stderr(nodeTableText("Initial cluster", cluster, settings));
  const score = scoreOf(cluster, group.nodes);
  const least = optimum(cluster, group.nodes);
  say(initialText(cluster, group.nodes, score, verbosity));
  const nodesBefore = settings.html === undefined ? [] : nodeStates(cluster, group.nodes);
  const report = (reported: Reported) => {
    if (json) print(jsonText(hbalReport(cluster, reported)), ports);
    writePage(() => hbalPage(cluster, reported, nodesBefore), settings, ports);
  };
  if (score - least < settings.minScore) {
    say(balancedText(score, least, settings.minScore));
    report({ group, score, optimum: least, solution: undefined, sets: [] });
    return 0;
  }

  say("Trying to minimize the CV...\n");
  const before = resourcesOf(cluster, group.nodes);
  const line = stepLines(cluster, group);
  const colour = (await ports.terminal("stdout"))?.colour ?? false;
  const needsTerms = settings.explain || json;
  const onStep = (found: ExplainedStep, position: number) => {
    say(line(found.step, position));
    if (settings.explain) say(termLines(found.terms, colour));
  };
  const solution = await solve(cluster, group, settings, ports, { needsTerms, onStep });
  const steps = solution.steps.map(({ step }) => step);
  const { finalScore } = solution.outcome;
  const improvement = { before: score, after: finalScore, stepCount: steps.length };
  say(finalText(cluster, group, improvement, verbosity));

  const allSets = jobSets(cluster, steps);
  const sets = settings.firstJobSetOnly ? allSets.slice(0, 1) : allSets;
  if (!json || settings.printCommands !== "-") {
    tellSolution(cluster, sets, settings, json ? quietly(ports) : ports);
  }
  saveState("balanced", "after balancing", writeClusterText(cluster), settings, ports);
  ports.stderr(instanceMapText("Final", cluster, settings));
  ports.stderr(nodeTableText("Final cluster", cluster, settings));
  if (verbosity > 3) say(`Original: ${before}\nFinal:    ${resourcesOf(cluster, group.nodes)}\n`);
  report({ group, score, optimum: least, solution, sets });
  if (solution.outcome.ended === "aborted") return tellInterrupted(settings, ports);
  return await execute(cluster, sets, settings, json ? quietly(ports) : ports);
}

/** Returns the exit code, that of a program that SIGINT ended as shells report it. */
function tellInterrupted({ execute }: HbalSettings, ports: Ports): 130 {
  const unsubmitted = execute ? " No job was submitted." : "";
  ports.stderr(`Interrupted: the solution has the steps found until then.${unsubmitted}\n`);
  return 130;
}

/** With a JSON document on stdout, all other output goes to stderr. */
const quietly = (ports: Ports): Ports => ({ ...ports, stdout: ports.stderr });

function tellSplit(cluster: Cluster, verbosity: number, ports: Ports): void {
  const split = splitInstances(cluster);
  if (split.length === 0 || verbosity <= 1) return;
  const names = split.map((index) => `  ${cluster.data.instances[index]?.name}\n`);
  ports.stderr(
    `Found instances belonging to multiple node groups:\n${names.join("")}These instances will not be moved.\n`,
  );
}

function tellSolution(
  cluster: Cluster,
  sets: readonly (readonly BalanceStep[])[],
  settings: HbalSettings,
  ports: Ports,
): void {
  const title = settings.firstJobSetOnly
    ? "First set of jobs:"
    : "Commands to run to reach the above solution:";
  const lines = jobSetLines(cluster, sets, (index) => instanceAlias(cluster, index));
  tellCommands(title, lines.map((line) => `${line}\n`).join(""), settings, ports);
}

/** Returns the exit code. Does nothing unless jobs are asked for. */
async function execute(
  cluster: Cluster,
  sets: readonly (readonly BalanceStep[])[],
  settings: HbalSettings,
  ports: Ports,
): Promise<number> {
  const { reason, priority } = settings;
  if (!settings.execute || sets.length === 0) return 0;
  const annotate = annotating({
    source: "hbal",
    comment: `rebalancing via hbal ${ganetiVersion}`,
    reason,
    priority,
    nowMicros: ports.nowMicros(),
  });
  const connect = await runnerFor("hbal", settings, ports);
  const moves = moveSets(cluster, sets, "Executing jobset for instances");
  return await executeJobSets({ program: "hbal", sets: moves, annotate, connect }, ports);
}

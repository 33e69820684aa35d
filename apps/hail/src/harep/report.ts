/** Output of harep: text as things happen, or one document at the end. */
import { type HarepReport, quoted, writeJson } from "@ganeti-ts/protocol";
import type { Ports } from "../ports.js";
import { jsonText } from "../printing/json.js";
import { print } from "../program.js";
import type { RepairType } from "./repair-policy.js";
import { type RepairState, type StateName, stateNames } from "./repair-state.js";
import type { HarepSettings } from "./settings.js";
import type { NodeAction } from "./storage/treat-nodes.js";

type InstanceReport = HarepReport["instances"][number];
type Action = InstanceReport["actions"][number];

export interface Reporter {
  /** Reports an action on an instance. */
  tell(instance: string, action: Action): void;
  /** Reports a repair of a node's storage. */
  tellNode(action: NodeAction): void;
  /** Reports the final states, in the order of the instances. */
  finish(
    ends: readonly { name: string; state: RepairState; needs: RepairType | undefined }[],
  ): void;
}

export function reporter(settings: HarepSettings, ports: Ports): Reporter {
  const actions = new Map<string, Action[]>();
  const nodes: NodeAction[] = [];
  return {
    tellNode: (action) => {
      nodes.push(action);
      if (!settings.json) print(nodeText(action), ports);
    },
    tell: (instance, action) => {
      actions.set(instance, [...(actions.get(instance) ?? []), action]);
      if (!settings.json) print(actionText(instance, action, settings), ports);
    },
    finish: (ends) => {
      if (!settings.json) return print(summary(ends.map(({ state }) => state.name)), ports);
      const instances = ends.map(
        ({ name, state, needs }): InstanceReport => ({
          name,
          state: states[state.name],
          needs: needs ?? null,
          actions: actions.get(name) ?? [],
        }),
      );
      const { dryRun, storage } = settings;
      const document: HarepReport = { dryRun, ...(storage && { nodes }), instances };
      print(jsonText(document), ports);
    },
  };
}

export const states = {
  healthy: "healthy",
  needed: "needs-repair",
  pending: "pending",
  failed: "failed",
} as const satisfies Record<StateName, InstanceReport["state"]>;

const stateText = Object.fromEntries(
  Object.entries(states).map(([name, state]) => [state, stateNames[name as StateName]]),
) as Record<InstanceReport["state"], string>;

const typeText = {
  "fix-storage": "ArFixStorage",
  migrate: "ArMigrate",
  failover: "ArFailover",
  reinstall: "ArReinstall",
} as const satisfies Record<RepairType, string>;

function actionText(instance: string, action: Action, { dryRun }: HarepSettings): string {
  switch (action.kind) {
    case "ended": {
      const [from, to] = [action.from, action.to].map((state) => quoted(stateText[state]));
      return `Moving ${instance} from ${from} to ${to}\n`;
    }
    case "repair": {
      const jobs = dryRun ? `jobs: ${writeJson([action.opcodes as never])}\n` : "";
      const why = action.why === undefined ? "" : `Reason: ${action.why}\n`;
      return `${why}Executing ${typeText[action.type]} repair on ${instance}\n${jobs}`;
    }
    case "waiting":
      return `Not repairing ${instance}: ${action.why}\n`;
    case "too-strong":
      return `Not performing a repair of type ${typeText[action.type]} on ${instance} because only repairs up to ${typeText[action.upTo]} are allowed\n`;
    case "not-enabled":
      return `Not repairing ${instance} because it's in state ArNotEnabled\n`;
    case "suspended": {
      const until = action.until === null ? "Forever" : `(Until ${timeText(action.until)})`;
      return `Not repairing ${instance} because it's in state ArSuspended ${until}\n`;
    }
    case "tag-added":
      return `>>> Adding the following tag to ${instance}:\n${quoted(action.tag)}\n`;
    case "tags-removed": {
      const tags = action.tags.map((tag) => `${quoted(tag)}\n`).join("");
      return `>>> Removing the following tags from ${instance}:\n${tags}`;
    }
  }
}

const outcomeText = {
  done: "Done",
  planned: "Not done: dry run",
  failed: "Failed",
  "not-allowed": "Not done, since repairs are not allowed",
} as const satisfies Record<NodeAction["outcome"], string>;

function nodeText({ why, outcome, detail }: NodeAction): string {
  const more = detail === undefined ? "" : `: ${detail}`;
  return `Storage: ${why}\n${outcomeText[outcome]}${more}\n`;
}

/** As `date` writes it, in UTC: `Tue Oct  2 07:06:40 UTC 2096`. */
function timeText(seconds: number): string {
  const [day, date, month, year, time] = new Date(seconds * 1000).toUTCString().split(/,? /);
  return `${day} ${month} ${String(Number(date)).padStart(2)} ${time} UTC ${year}`;
}

function summary(names: readonly StateName[]): string {
  const counts = new Map<string, number>();
  for (const name of names) {
    counts.set(stateNames[name], (counts.get(stateNames[name]) ?? 0) + 1);
  }
  const lines = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
  const rule = "---------------------\n";
  return `${rule}Instance status count\n${rule}${lines.map(([name, count]) => `${name}: ${count}\n`).join("")}`;
}

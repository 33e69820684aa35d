/** A machine that answers command lines with recorded outputs. */
import type { Clock } from "@ganeti-ts/protocol";
import type { NodeContext } from "../src/context.js";
import { nodePaths } from "../src/machine/paths.js";
import { commandText } from "../src/machine/runner.js";
import { type Answer, finished, quiet } from "./a-context.js";

/** Outputs by command line: one output, or a list with one per run, of which the last is repeated. */
export type Script = Readonly<Record<string, string | Answer | readonly (string | Answer)[]>>;

export interface ScriptedMachine {
  readonly context: NodeContext;
  /** Command lines in the order in which they were run. */
  readonly commands: string[];
  /** Warnings and errors. */
  readonly log: string[];
}

/** A command line that is not in the script fails the test. */
export function scriptedMachine(script: Script, root = "/nowhere"): ScriptedMachine {
  const commands: string[] = [];
  const log: string[] = [];
  const asked = new Map<string, number>();
  const context: NodeContext = {
    run: {
      async run(command) {
        const text = commandText(command);
        commands.push(text);
        if (!Object.hasOwn(script, text)) throw new Error(`unexpected command: ${text}`);
        const time = asked.get(text) ?? 0;
        asked.set(text, time + 1);
        const entry = script[text] as Script[string];
        const list = Array.isArray(entry) ? (entry as readonly (string | Answer)[]) : [entry];
        const found = list[Math.min(time, list.length - 1)] as string | Answer;
        return finished(command, typeof found === "string" ? { stdout: found } : found);
      },
      detach: () => Promise.reject(new Error("nothing is detached here")),
    },
    paths: nodePaths(root),
    clock: hurryingClock(),
    random: { fraction: () => 0.5 },
    log: { ...quiet, warn: (message) => log.push(message), error: (message) => log.push(message) },
    nodeName: "node1.example.com",
    ssconf: async () => [],
  };
  return { context, commands, log };
}

/** A clock on which every pause ends at once. */
export function hurryingClock(): Clock {
  let now = 0;
  return {
    now: () => now,
    wallMicros: () => now * 1000,
    after(delayMs, then) {
      now += delayMs;
      const timer = setImmediate(then);
      return () => clearImmediate(timer);
    },
  };
}

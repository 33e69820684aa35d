/** Hooks: programs of the administrator that run before and after operations. */
import { join, normalize, sep } from "node:path";
import type { HookResult } from "@ganeti-ts/node-calls";
import { pause } from "@ganeti-ts/protocol";
import type { NodeContext } from "../context.js";
import { faultOf, NodeFailure } from "../failure.js";
import { handlers } from "../handlers.js";
import { outputOf, succeeded } from "../machine/runner.js";
import { visibleNames } from "../machine/visible-names.js";
import { isProgram } from "./file-checks.js";
import { safeText } from "./safe-text.js";

export interface HookRun {
  /** Operation, e.g. `instance-add`. */
  readonly path: string;
  readonly phase: "pre" | "post";
  /** The whole environment of the programs. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Valid names of programs in directories of the administrator; others are skipped. */
export const programName = /^[a-zA-Z0-9_-]+$/;

/** Runs the hooks of one phase, in the order of their names. */
export async function runHooks(
  { paths, run }: Pick<NodeContext, "paths" | "run">,
  { path, phase, environment }: HookRun,
): Promise<readonly HookResult[]> {
  const folder = `${path}-${phase}.d`;
  const directory = join(paths.hooks, folder);
  if (!normalize(directory).startsWith(paths.hooks + sep)) {
    throw new NodeFailure(`Invalid hooks path '${path}'`);
  }
  const results: HookResult[] = [];
  for (const name of await visibleNames(directory)) {
    const script = `${folder}/${name}`;
    const program = join(directory, name);
    if (!programName.test(name) || !(await isProgram(program))) {
      results.push({ script, status: "skip", output: "" });
      continue;
    }
    const fault = await faultOf(async () => {
      const ended = await run.run({ program, args: [], env: environment, cleanEnv: true });
      const output = safeText(outputOf(ended).trim());
      results.push({ script, status: succeeded(ended) ? "success" : "error", output });
    });
    if (fault === null) continue;
    const output = `Hook script execution error: ${fault}`;
    results.push({ script, status: "error", output });
  }
  return results;
}

export const hooksCalls = (context: Pick<NodeContext, "paths" | "run" | "clock">) =>
  handlers({
    hooks_runner: (hooks) => runHooks(context, hooks),
    async test_delay({ seconds }) {
      if (!(seconds >= 0)) throw new NodeFailure("Invalid sleep duration");
      await pause(context.clock, seconds * 1000);
    },
  });

/** aContext: a context on a temporary folder, with the programs of the machine or with answers from the test. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { secureRandom, systemClock } from "@ganeti-ts/protocol";
import { onTestFinished } from "vitest";
import type { NodeContext } from "../src/context.js";
import { ssconfReader } from "../src/host/ssconf.js";
import { nodePaths } from "../src/machine/paths.js";
import type { Command, Finished, Runner } from "../src/machine/runner.js";
import { systemRunner } from "../src/machine/system-runner.js";

export interface TestContext extends NodeContext {
  readonly root: string;
  /** Lines of the log, each with its level as prefix. */
  readonly logged: string[];
  /** Writes a file below the root. */
  write(path: string, content: string, mode?: number): string;
}

/** A folder that is removed after the test. */
export function aFolder(parent = tmpdir()): string {
  const root = mkdtempSync(join(parent, "noded-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

/** Its folder is removed after the test. */
export function aContext(change: Partial<NodeContext> = {}): TestContext {
  const root = aFolder(realpathSync(tmpdir()));
  const paths = nodePaths(root);
  for (const path of [paths.data, paths.run, paths.log, paths.conf, paths.lock]) {
    mkdirSync(path, { recursive: true });
  }
  const logged: string[] = [];
  const at = (level: string) => (message: string) => void logged.push(`${level} ${message}`);
  return {
    root,
    logged,
    paths,
    run: systemRunner(() => {}),
    clock: systemClock,
    random: secureRandom,
    log: { debug: at("DEBUG"), info: at("INFO"), warn: at("WARNING"), error: at("ERROR") },
    nodeName: "node1.example.com",
    ssconf: ssconfReader(paths.data),
    write(path, content, mode = 0o644) {
      const whole = join(root, path);
      mkdirSync(dirname(whole), { recursive: true });
      writeFileSync(whole, content, { mode });
      return whole;
    },
    ...change,
  };
}

export type Answer = Partial<Pick<Finished, "code" | "stdout" | "stderr">>;

/** The end of a program; by default it succeeds without output. */
export const finished = (command: Command, answer: Partial<Finished> = {}): Finished => ({
  ...{ command, code: 0, signal: null, stdout: "", stderr: "", limit: "none" },
  ...answer,
});

/** A log that keeps nothing. */
export const quiet: NodeContext["log"] = { debug() {}, info() {}, warn() {}, error() {} };

/** A runner that records each program and returns the result of `answer`, or success without output if that is undefined. */
export function fakeRunner(answer: (command: Command) => Answer | undefined = () => undefined): {
  readonly run: Runner;
  readonly commands: Command[];
  readonly lines: () => readonly string[];
} {
  const commands: Command[] = [];
  const run: Runner = {
    async run(command) {
      commands.push(command);
      return finished(command, answer(command));
    },
    async detach(command) {
      commands.push(command);
      return { pid: 1 };
    },
  };
  const lines = () => commands.map(({ program, args }) => [program, ...args].join(" "));
  return { run, commands, lines };
}

export const noSignal = new AbortController().signal;

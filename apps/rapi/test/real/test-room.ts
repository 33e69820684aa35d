/** Machines of a test in namespaces of their own; the test sends scripts to them. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";
import type { RoomOptions } from "../../src/demo/real/machines.js";
import { namespaceWords } from "../../src/demo/real/outer.js";

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface TestRoom {
  /** Runs a script of sh as root; one at a time. */
  run(machine: string, script: string): Promise<Ended>;
  /** Ends all machines and removes their files. */
  close(): Promise<void>;
}

export async function testRoom(options: Omit<RoomOptions, "folder">): Promise<TestRoom> {
  const folder = mkdtempSync("/tmp/ganeti-ts-room-");
  const driver = join(folder, "driver.mjs");
  await build({
    entryPoints: [join(import.meta.dirname, "room-driver.ts")],
    outfile: driver,
    ...{ bundle: true, platform: "node", format: "esm", logLevel: "error" },
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
  });
  const [program = "", ...args] = namespaceWords([driver, JSON.stringify({ ...options, folder })]);
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  await answers.next();
  return {
    async run(machine, script) {
      child.stdin.write(`${JSON.stringify({ machine, script })}\n`);
      const { value } = await answers.next();
      return JSON.parse(value as string) as Ended;
    },
    async close() {
      const gone = ended(child);
      child.stdin.end();
      await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const ended = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => child.once("close", () => resolve()));

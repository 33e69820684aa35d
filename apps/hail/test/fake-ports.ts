// A world in memory.

import { hail } from "../src/hail/program.js";
import type { Ports } from "../src/ports.js";
import { type Program, type Runner, runnerOf } from "../src/program.js";
import { systemPorts } from "../src/system-ports.js";

export interface World {
  /** Contents by path; an error code fails the access. */
  readonly files?: Readonly<Record<string, string | Uint8Array | { readonly code: string }>>;
  readonly stdin?: string;
  /** Bodies by URL. */
  readonly web?: Readonly<Record<string, string>>;
  readonly change?: Partial<Ports>;
}

export interface Outcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly written: Readonly<Record<string, string>>;
  /** Milliseconds; the clock moves by nothing else. */
  readonly slept: number;
}

/** Runs hail in a world of its own. */
export const hailIn = (world: World, ...argv: string[]): Promise<Outcome> =>
  runIn(hail, world, ...argv);

/** Runs a program in a world of its own. */
export const runIn = <Settings>(
  program: Program<Settings>,
  world: World,
  ...argv: string[]
): Promise<Outcome> => runnerIn(runnerOf(program), world, ...argv);

export async function runnerIn(run: Runner, world: World, ...argv: string[]): Promise<Outcome> {
  const { ports, outcome } = portsIn(world);
  outcome.exitCode = await run(argv, ports);
  return outcome;
}

/** A world of its own, and what becomes of it. */
export function portsIn(world: World): { ports: Ports; outcome: Mutable<Outcome> } {
  const written: Record<string, string> = {};
  const outcome = { exitCode: -1, stdout: "", stderr: "", written, slept: 0 };
  const fail = (code: string, syscall: string) => {
    throw Object.assign(new Error(`${code}: failed`), { code, syscall });
  };
  const ports: Ports = {
    readFile: (path) => {
      const content = world.files?.[path] ?? { code: "ENOENT" };
      if (typeof content === "string") return Buffer.from(content);
      return "code" in content
        ? fail(content.code, content.code === "EISDIR" ? "read" : "open")
        : content;
    },
    readStdin: () => Buffer.from(world.stdin ?? ""),
    writeFile: (path, text) => {
      const content = world.files?.[path];
      if (typeof content === "object" && "code" in content) fail(content.code, "open");
      written[path] = text;
    },
    stdout: (text) => {
      outcome.stdout += text;
    },
    stderr: (text) => {
      outcome.stderr += text;
    },
    terminal: async () => undefined,
    now: () => outcome.slept,
    sleep: async (ms) => {
      outcome.slept += ms;
    },
    httpGet: async (url) => world.web?.[url],
    findLuxiSocket: async (dataDir = "/nonexistent") => `${dataDir}/ganeti-query`,
    connectLuxi: systemPorts.connectLuxi,
    nowMicros: () => 1_700_000_000_000_000,
    onSignal: () => () => {},
    freshId: () => "00000000-0000-4000-8000-000000000001",
    ...world.change,
  };
  return { ports, outcome };
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

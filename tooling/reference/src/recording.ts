// Recordings of the wires of a bench: node calls, LUXI and the remote API, as they were while an action ran.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { luxiProxyProgram } from "./folder.js";
import { spawnInside } from "./inside.js";
import type { ReferenceNode } from "./layout.js";

interface Exchanged {
  /** When the request came, in seconds since the epoch. */
  readonly at: number;
  /** How long the answer took, in ms. */
  readonly ms: number;
  /** Name of the node that answered. */
  readonly node: string;
}

interface OverHttp extends Exchanged {
  readonly peer: string | null;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly status: number;
  readonly responseHeaders: Readonly<Record<string, string>>;
}

/** One call to a node daemon; `answer` is `[succeeded, payload or text]`. */
export interface NodeExchange extends OverHttp {
  readonly wire: "node";
  readonly method: string;
  readonly arguments: unknown;
  readonly answer: unknown;
}

/** One request to the remote API, with its body and the answer's as JSON values. */
export interface RapiExchange extends OverHttp {
  readonly wire: "rapi";
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly answer: unknown;
}

/** One LUXI call; `request` is the whole message, of which `method` and `arguments` are parts. */
export interface LuxiExchange extends Exchanged {
  readonly wire: "luxi";
  readonly method: string;
  readonly arguments: unknown;
  readonly request: unknown;
  readonly success: boolean;
  readonly answer: unknown;
}

/** Exchanges on the wires, each list in the order in which the requests came. */
export interface Recording {
  readonly nodeCalls: readonly NodeExchange[];
  readonly luxi: readonly LuxiExchange[];
  readonly rapi: readonly RapiExchange[];
  /** The same as it was recorded, one JSON line per exchange: with numbers that JavaScript would round. */
  readonly text: string;
}

/** The bench that is recorded: its folder, its first process, its master. */
export interface Recorded {
  readonly directory: string;
  readonly initPid: number;
  readonly master: ReferenceNode;
}

/** A recording ends when no request came for this time: the master distributes changes after a job's end. */
const quietMs = 1500;

/**
 * Runs `action` and gives what went over the wires meanwhile, and until they are quiet again.
 *
 * LUXI is recorded if luxid runs at the start. One recording at a time.
 */
export async function record<T>(
  bench: Recorded,
  action: () => Promise<T>,
): Promise<{ readonly recording: Recording; readonly value: T }> {
  const file = join(bench.directory, "shared/recording.jsonl");
  if (existsSync(file)) throw new Error(`${bench.directory} is being recorded already`);
  writeFileSync(file, "");
  // The daemon of the remote API runs as a user of its own.
  chmodSync(file, 0o666);
  const ended = `${file}.${Date.now()}`;
  const stopProxy = await startLuxiProxy(bench);
  let value: T;
  try {
    value = await action();
    await untilQuiet(file);
  } finally {
    await stopProxy();
    renameSync(file, ended);
  }
  return { recording: readRecording(ended), value };
}

async function untilQuiet(file: string): Promise<void> {
  for (let size = -1, since = Date.now(); Date.now() - since < quietMs; await sleep(100)) {
    const now = statSync(file).size;
    if (now !== size) since = Date.now();
    size = now;
  }
}

/** Puts the recording proxy in front of luxid, if it runs; the returned function takes it away. */
async function startLuxiProxy({ initPid, master }: Recorded): Promise<() => Promise<void>> {
  const socket = "var/run/ganeti/socket/ganeti-query";
  if (!existsSync(join(master.root, socket))) return async () => {};
  const proxy = spawnInside(initPid, master, [
    ...["/usr/bin/python3", luxiProxyProgram],
    ...[`${master.insideRoot}/${socket}`, master.name],
  ]);
  let problem = "";
  proxy.stderr?.setEncoding("utf8").on("data", (text) => {
    problem += text;
  });
  await new Promise<void>((resolve, reject) => {
    proxy.stdout?.once("data", () => resolve());
    proxy.once("exit", () => reject(new Error(`the LUXI proxy ended: ${problem}`)));
  });
  return () =>
    new Promise((resolve) => {
      proxy.once("exit", () => resolve());
      proxy.kill("SIGTERM");
    });
}

function readRecording(file: string): Recording {
  const text = readFileSync(file, "utf8");
  const lines = text.split("\n").slice(0, -1);
  const all: readonly (NodeExchange | LuxiExchange | RapiExchange)[] = lines
    .map((line) => JSON.parse(line))
    .sort((one, other) => one.at - other.at);
  return {
    nodeCalls: all.filter((entry) => entry.wire === "node"),
    luxi: all.filter((entry) => entry.wire === "luxi"),
    rapi: all.filter((entry) => entry.wire === "rapi"),
    text,
  };
}

/** The calls of a recording by node, in order: the trace of an operation. */
export function traceByNode(recording: Recording): ReadonlyMap<string, readonly NodeExchange[]> {
  const calls = new Map<string, NodeExchange[]>();
  for (const call of recording.nodeCalls) {
    calls.set(call.node, [...(calls.get(call.node) ?? []), call]);
  }
  return calls;
}

/**
 * Writes a recording into `folder`: one JSON line per exchange in `node-calls`, `luxi` and `rapi`, each `.jsonl`, and in
 * `trace.json` the names of the calls by node, in order.
 */
export function writeRecording(folder: string, recording: Recording): void {
  mkdirSync(folder, { recursive: true });
  const { text } = recording;
  const names = [...traceByNode(recording)].map(([node, calls]) => {
    return [node, calls.map(({ method }) => method)] as const;
  });
  writeFileSync(
    join(folder, "trace.json"),
    `${JSON.stringify(Object.fromEntries(names), null, 2)}\n`,
  );
  const lines = text
    .split("\n")
    .slice(0, -1)
    .map((line) => ({ line, ...(JSON.parse(line) as Pick<Exchanged, "at"> & { wire: string }) }))
    .sort((one, other) => one.at - other.at);
  for (const [wire, name] of [
    ["node", "node-calls"],
    ["luxi", "luxi"],
    ["rapi", "rapi"],
  ] as const) {
    const own = lines.filter((entry) => entry.wire === wire).map(({ line }) => `${line}\n`);
    writeFileSync(join(folder, `${name}.jsonl`), own.join(""));
  }
}

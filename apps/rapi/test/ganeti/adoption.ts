// An adopted bench: our server replaces Ganeti's master daemons, and gnt-cluster and Debian's programs use it.

import type { ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Outcome, ReferenceBench, ReferenceNode } from "@ganeti-ts/reference";
import { expect } from "vitest";
import { runCommand } from "./traced-run.js";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const serverProgram = here("../../dist/ganeti-rapi.js");
const commandFolder = here("../../../gnt/dist/");

/** Maximum time (ms) of anything that a server or daemon does by itself, on a machine that has much else to do. */
const patienceMs = 600_000;

export interface Master {
  readonly data: string;
  readonly process: ChildProcess;
  readonly log: () => string;
  /** Resolves to the exit code. */
  readonly ended: Promise<number | null>;
  /** Kills the process and its children at once, like a crash. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** A data directory of its own for each bench. */
export const newDataDirectory = (): string => mkdtempSync(join(tmpdir(), "ganeti-adopted-"));

/** Options of a server on a node of the bench, whose remote API listens on the address of that node. */
export const serverWords = (node: ReferenceNode, data: string): readonly string[] => [
  ...[`--data-dir=${data}`, "-b", node.address, "-p", "5080", "--watcher=off"],
];

/** Our server on a node; resolves when it answers. @throws Error with its log if it ends before */
export async function startMaster(
  bench: ReferenceBench,
  data: string,
  words: readonly string[] = [],
  node: ReferenceNode = bench.master,
): Promise<Master> {
  const args = [serverProgram, ...serverWords(node, data), ...words];
  const server = bench.spawn(process.execPath, args, { node });
  let log = "";
  server.stderr?.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  const ended = new Promise<number | null>((resolve) => server.once("exit", resolve));
  await Promise.race([
    until(() => log.includes('"ready"'), "the server answers"),
    ended.then((code) => {
      throw new Error(`the server ended with ${code}: ${log}`);
    }),
  ]);
  const pid = Number(readFileSync(join(data, "rapi.pid"), "utf8"));
  return {
    ...{ data, process: server, log: () => log, ended },
    async kill() {
      await bench.exec("kill", ["-KILL", String(pid)]);
      await ended;
    },
    async stop() {
      await bench.exec("kill", ["-TERM", String(pid)]);
      await ended;
    },
  };
}

/** Runs our server program on a node to its end. */
export const runServer = (
  bench: ReferenceBench,
  data: string,
  words: readonly string[],
  node: ReferenceNode = bench.master,
): Promise<Outcome> =>
  bench.attempt(process.execPath, [serverProgram, `--data-dir=${data}`, ...words], { node });

/** A gnt-* program of ours inside the bench. */
export const runOwn = (
  bench: ReferenceBench,
  data: string,
  line: string,
  node: ReferenceNode = bench.master,
): Promise<Outcome> => {
  const [program = "", ...args] = line.split(" ");
  return bench.attempt(process.execPath, [join(commandFolder, `${program}.js`), ...args], {
    node,
    environment: { GANETI_TS_DATA: data },
  });
};

export async function until(
  isSo: () => boolean | Promise<boolean>,
  what: string,
  everyMs = 50,
): Promise<void> {
  for (const end = Date.now() + patienceMs; !(await isSo()); await pause(everyMs)) {
    if (Date.now() > end) throw new Error(`after ${patienceMs} ms it is not so: ${what}`);
  }
}

/** Output of Debian's own program on the master; fails with its output. */
export const debian = async (bench: ReferenceBench, line: string): Promise<string> => {
  const [program = "", ...args] = line.split(" ");
  return (await bench.exec(program, args)).stdout;
};

/** Errors of a verification, without times and numbers of jobs. */
export async function verified(
  bench: ReferenceBench,
  node: ReferenceNode = bench.master,
): Promise<readonly string[]> {
  const { stdout, stderr } = await bench.attempt("gnt-cluster", ["verify"], { node });
  const lines = `${stdout}${stderr}`.split("\n").filter((line) => /ERROR|WARNING/.test(line));
  return lines.map((line) => line.replace(/^\w{3} \w{3} .{17} /, "").trim()).sort();
}

/** Files below `/var/lib/ganeti` of a node, by path: attributes and a digest of the content. */
export function filesOf({ dataFolder }: ReferenceNode): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const look = (folder: string): void => {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      const { mode, uid, gid } = lstatSync(path);
      const kind = mode & 0o170000;
      if (kind === 0o040000) look(path);
      const content =
        kind === 0o100000
          ? createHash("sha256").update(readFileSync(path)).digest("hex")
          : kind === 0o120000
            ? readlinkSync(path)
            : "";
      found.set(relative(dataFolder, path), `${mode.toString(8)} ${uid}:${gid} ${content}`);
    }
  };
  look(dataFolder);
  return found;
}

/** Paths that differ between two states of a node. */
export const changedPaths = (
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly string[] =>
  [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => before.get(path) !== after.get(path))
    .sort();

export const removed = (data: string): void => rmSync(data, { recursive: true, force: true });

/** Runs our gnt-* program outside of the bench, over the local socket. */
export const runOutside = (data: string, line: string): Promise<Outcome> => runCommand(line, data);

/** Output of a command that must succeed. */
export function succeeded(line: string, { status, stdout, stderr }: Outcome): string {
  expect([line, status, status === 0 ? "" : `${stdout}${stderr}`]).toEqual([line, 0, ""]);
  return stdout;
}

/** Resolves when Ganeti's daemons have the cluster again. */
export const isHandedBack = (bench: ReferenceBench, node = bench.master): Promise<void> =>
  until(
    async () => (await bench.attempt("gnt-cluster", ["info"], { node })).status === 0,
    "luxid answers",
  );

/** Ganeti's daemons have the cluster again, and its verification finds these errors. */
export async function expectHandedBack(
  bench: ReferenceBench,
  errors: readonly string[],
  node: ReferenceNode = bench.master,
): Promise<void> {
  await isHandedBack(bench, node);
  expect(await verified(bench, node)).toEqual(errors);
}

/** Hands the cluster back by our server program. */
export async function handBack(
  bench: ReferenceBench,
  data: string,
  errors: readonly string[],
): Promise<void> {
  succeeded("--hand-back", await runServer(bench, data, ["--hand-back"]));
  await expectHandedBack(bench, errors);
}

/** Text of a file below `/var/lib/ganeti` of a node. */
export const textOf = ({ dataFolder }: ReferenceNode, file: string): string =>
  readFileSync(join(dataFolder, file), "utf8");

// SIGKILL of our server while it drives nodes of Ganeti: nothing happens twice, jobs end, and nothing is left on nodes.
// GANETI_KILLS=30 for more kills than the suite makes.
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { NodeCallName } from "@ganeti-ts/node-calls";
import { catalogEntry, nodeCalls } from "@ganeti-ts/node-calls/catalog";
import {
  benchUnavailable,
  type NodeExchange,
  type ReferenceBench,
  withReferenceCluster,
} from "@ganeti-ts/reference";
import { describe, expect, test } from "vitest";
import { sendBySocket } from "../by-socket.js";
import { succeeded, until } from "./adoption.js";
import { callsAreOver, callsFile, repeated } from "./killed-server.js";
import { configurationIn, faultsOn } from "./remains.js";
import { type OwnServer, ownServer } from "./traced-run.js";

const problem = benchUnavailable();
if (problem !== undefined) console.warn(`SKIPPED, no test has run here: ${problem}`);

const kills = Number(process.env.GANETI_KILLS ?? 10);

const [one, two, three] = ["node1.example.com", "node2.example.com", "node3.example.com"];
const adding = (name: string, options: string) =>
  `gnt-instance add --no-name-check --no-ip-check -o noop+default -B memory=16M ${options} ${name}`;

/** Instances that operations are about; `created` is made and removed in turn. */
const [inFile, onVolume, mirrored] = ["inst20", "inst21", "inst22"].map(
  (name) => `${name}.example.com`,
);
const created = "inst30.example.com";
const standing = [
  adding(`${inFile}`, `--no-start -t file --disk 0:size=16M -n ${one}`),
  adding(`${onVolume}`, `-t plain --disk 0:size=16M -n ${two}`),
  adding(`${mirrored}`, `-t drbd --disk 0:size=16M -n ${one}:${two}`),
];

/** Command lines of one job each. */
const operations: readonly string[] = [
  adding(created, `-t file --disk 0:size=16M -n ${two}`),
  `gnt-instance grow-disk ${onVolume} 0 16M`,
  `gnt-instance remove -f ${created}`,
  `gnt-backup export -n ${three} --noshutdown ${onVolume}`,
  adding(created, `-t drbd --disk 0:size=16M -n ${two}:${one}`),
  `gnt-instance replace-disks -s ${mirrored}`,
  `gnt-instance failover -f ${mirrored}`,
  `gnt-instance remove -f ${created}`,
  `gnt-instance reinstall -f ${inFile}`,
  adding(created, `-t plain --disk 0:size=16M --disk 1:size=16M -n ${one}`),
  `gnt-instance modify --disk add:size=16M --no-wait-for-sync ${mirrored}`,
  `gnt-instance reboot --type=hard ${mirrored}`,
  `gnt-instance remove -f ${created}`,
  `gnt-instance migrate -f ${mirrored}`,
];

interface JobInfo {
  readonly status: string;
  readonly opresult: readonly unknown[];
}

/** A GET over the server's socket. */
async function get<T>({ data }: OwnServer, path: string): Promise<T> {
  const { text } = await sendBySocket({ socketPath: join(data, "rapi.sock"), path });
  return JSON.parse(text);
}

const isEnded = ({ status }: JobInfo) => ["success", "error", "canceled"].includes(status);
const jobInfo = (server: OwnServer, job: number) => get<JobInfo>(server, `/2/jobs/${job}`);
const ended = (server: OwnServer, job: number) =>
  until(async () => isEnded(await jobInfo(server, job)), `job ${job} has ended`, 5);

async function newestJob(server: OwnServer): Promise<number> {
  const jobs = await get<readonly { readonly id: string | number }[]>(server, "/2/jobs");
  return Math.max(0, ...jobs.map(({ id }) => Number(id)));
}

/** A line of calls-in-flight.jsonl. */
interface Sent {
  readonly key: string;
  readonly node: string;
  readonly call: NodeCallName;
  readonly until: number;
}

const sentCalls = (data: string): readonly Sent[] =>
  readFileSync(callsFile(data), "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line))
    .filter((line) => !("ended" in line));

/** Calls that changed something on a node, and were not on disk before they were sent. */
function unrecorded(
  calls: readonly NodeExchange[],
  sent: readonly Sent[],
  nameOf: (uuid: string) => string | undefined,
): readonly string[] {
  const left = sent.map(({ node, call }) => `${nameOf(node)} ${call}`);
  return calls.flatMap(({ node, method }) => {
    if (!(method in nodeCalls)) return [];
    const { timeout, repeat } = catalogEntry(method as NodeCallName);
    if (repeat === "looks" || ["urgent", "fast"].includes(timeout)) return [];
    const at = left.indexOf(`${node} ${method}`);
    if (at >= 0) left.splice(at, 1);
    return at >= 0 ? [] : [`${node} ${method} was not recorded`];
  });
}

interface Round {
  readonly operation: string;
  /** The kill comes when this many further calls have been recorded, if the job has not ended by then. */
  readonly callsBefore: number;
}

interface RoundEnd {
  readonly server: OwnServer;
  readonly wasInFlight: boolean;
  readonly status: string;
  readonly faults: readonly string[];
}

async function oneRound(
  bench: ReferenceBench,
  server: OwnServer,
  { operation, callsBefore }: Round,
): Promise<RoundEnd> {
  const { data } = server;
  const before = sentCalls(data).length;
  const faults: string[] = [];
  const { recording, value } = await bench.record(async () => {
    const known = await newestJob(server);
    let isOver = false;
    // The command loses its server, and fails.
    const command = server.run(operation).finally(() => {
      isOver = true;
    });
    await until(() => isOver || sentCalls(data).length >= before + callsBefore, "a call", 5);
    await server.kill();
    const killedAt = Date.now() / 1000;
    const text = readFileSync(callsFile(data), "utf8");
    const sent = sentCalls(data);
    const wasInFlight = sent.some(({ key }) => !text.includes(`{"ended":"${key}"}`));
    await callsAreOver(bench, data);
    await command;
    const next = await ownServer(bench, data);
    const job = await newestJob(next);
    if (job === known) throw new Error(`no job of ${operation}`);
    await ended(next, job);
    return { job, killedAt, sent, wasInFlight, next };
  });
  const { job, killedAt, sent, wasInFlight, next } = value;
  const { status, opresult } = await jobInfo(next, job);
  const why = JSON.stringify(opresult);
  if (status !== "success" && !(status === "error" && why.includes("detected death"))) {
    faults.push(`job ${job}: ${status} ${why}`);
  }
  const now = await configurationIn(data);
  const nameOf = (uuid: string) => now.node(uuid as never)?.name;
  const calls = recording.nodeCalls;
  const first = calls.filter(({ at }) => at < killedAt);
  faults.push(...unrecorded(first, sent.slice(before), nameOf), ...repeated(calls));
  return { server: next, wasInFlight, status, faults };
}

/** As an administrator does: starts what should run, and runs the commands that verification gives. */
async function repair({ run }: OwnServer, faults: readonly string[]): Promise<void> {
  for (const fault of faults) {
    const [, name] = /: instances: (\S+) is missing/.exec(fault) ?? [];
    if (name !== undefined) await run(`gnt-instance startup ${name}`);
  }
  if (!faults.some((fault) => fault.endsWith("is still held"))) return;
  const { stdout } = await run("gnt-cluster verify");
  for (const [, command = ""] of stdout.matchAll(/old copy .*'(gnt-instance [^']+)'/g)) {
    await run(command);
  }
}

/** Faults that remain when recovery, which looks every 30 s, and an administrator have had their time. */
async function lastFaults(bench: ReferenceBench, server: OwnServer): Promise<readonly string[]> {
  for (const end = Date.now() + 100_000; ; await sleep(1000)) {
    const faults = faultsOn(bench, await configurationIn(server.data));
    if (faults.length === 0 || Date.now() > end) return faults;
    await repair(server, faults);
  }
}

/**
 * Makes or removes the instance that comes and goes, if the operation needs that, and completes what a killed
 * migration or replacement has left of the mirror.
 */
async function prepare({ run, data }: OwnServer, operation: string): Promise<void> {
  if (operation.endsWith(mirrored as string)) {
    await run(`gnt-instance migrate -f --cleanup ${mirrored}`);
    const activation = `gnt-instance activate-disks --wait-for-sync ${mirrored}`;
    succeeded(activation, await run(activation));
  }
  if (!operation.endsWith(created)) return;
  const isThere = (await configurationIn(data)).findInstance(created) !== undefined;
  const isToBe = operation.includes(" remove ");
  if (isThere === isToBe) return;
  const line = isToBe
    ? adding(created, `-t file --disk 0:size=16M -n ${two}`)
    : `gnt-instance remove -f ${created}`;
  succeeded(line, await run(line));
}

/** Number of growths among the first operations. */
const grown = (rounds: number): number =>
  Array.from({ length: rounds }, (_, at) => operations[at % operations.length]).filter((line) =>
    line?.includes("grow-disk"),
  ).length;

/** Sizes (MiB) of the disk that grows: of its volume, and in the configuration. */
async function grownSizes(bench: ReferenceBench, data: string) {
  const now = await configurationIn(data);
  const instance = now.findInstance(onVolume as string);
  const [disk] = instance === undefined ? [] : now.disksOf(instance);
  const file = join(bench.directory, "devices/state.json");
  const { volumes } = JSON.parse(readFileSync(file, "utf8"));
  const { sizeKib } = volumes[two][String(disk?.logical_id?.[1])];
  return { real: sizeKib / 1024, configured: disk?.size ?? 0 };
}

describe.skipIf(problem !== undefined)("Our server on nodes of Ganeti, killed with SIGKILL", () => {
  test(
    `does nothing twice, ends its jobs and leaves nothing on nodes, ${kills} times`,
    { timeout: 300_000 + kills * 150_000 },
    () =>
      withReferenceCluster({ storage: true }, async (bench) => {
        const data = mkdtempSync(join(tmpdir(), "ganeti-kills-"));
        let server = await ownServer(bench, data);
        try {
          for (const line of standing) succeeded(line, await server.run(line));
          expect(await lastFaults(bench, server)).toEqual([]);
          const counts = { inFlight: 0, success: 0, error: 0 };
          for (let round = 0; round < kills; round++) {
            const operation = operations[round % operations.length] ?? "";
            const callsBefore = 1 + ((round * 3) % 7);
            await prepare(server, operation);
            const end = await oneRound(bench, server, { operation, callsBefore });
            server = end.server;
            const faults = [...end.faults, ...(await lastFaults(bench, server))];
            const inFlight = end.wasInFlight ? "with a call in flight" : "between calls";
            console.log(`${round + 1}. ${inFlight}, ${end.status}: ${operation}`);
            expect({ operation, callsBefore, faults }).toEqual({
              operation,
              callsBefore,
              faults: [],
            });
            if (end.wasInFlight) counts.inFlight++;
            counts[end.status as "success" | "error"]++;
          }
          console.log(`${kills} kills: ${JSON.stringify(counts)}`);
          expect(counts.inFlight).toBeGreaterThan(kills / 2);
          const growths = grown(kills);
          const sizes = await grownSizes(bench, data);
          expect(sizes.configured).toBeLessThanOrEqual(16 + 16 * growths);
          expect(sizes.real).toBeGreaterThanOrEqual(sizes.configured);
          expect(sizes.real).toBeLessThanOrEqual(16 + 16 * growths);
          await prepare(server, mirrored as string);
          const verified = await server.run("gnt-cluster verify --error-codes");
          const lines = verified.stdout.split("\n").filter((line) => /ERROR|WARNING/.test(line));
          expect(lines.filter((line) => !line.includes("ENODESETUP"))).toEqual([]);
        } finally {
          await server.stop();
        }
      }),
  );
});

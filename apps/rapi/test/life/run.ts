/** Servers under load that are killed repeatedly, with checks after each kill. */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ConfigStore } from "@ganeti-ts/config";
import { isFinalized, JobStatus, type Json } from "@ganeti-ts/protocol";
import type { HostState, KeptStates } from "@ganeti-ts/simulated-nodes";
import { openPostgresConfigStore, openPostgresNodeStates } from "@ganeti-ts/store/postgres";
import { openSqliteConfigStore, openSqliteNodeStates } from "@ganeti-ts/store/sqlite";
import { Dice } from "@ganeti-ts/testkit/simulation";
import { faultsOf } from "./books.js";
import { type Books, client, creation, firstSize, grown, growth, newBooks } from "./clients.js";
import { ServerProcess } from "./server-process.js";

export interface Report {
  readonly faults: readonly string[];
  readonly left: readonly string[];
  readonly counts: Record<string, number>;
}

export interface RunOptions {
  readonly seed: number;
  readonly kills: number;
  /** `postgres://…` and how many servers share it; absent: one server with files of its own. */
  readonly shared?: { readonly url: string; readonly servers: number };
}

/** Lease, longer on a machine so busy that servers cannot renew it in time. */
const leaseSeconds = Number(process.env.LEASE ?? 5);

interface Job {
  readonly id: number;
  readonly status: JobStatus;
  readonly results: readonly unknown[];
  /** `INSTANCE_GROW_DISK(web1)` */
  readonly summary: readonly string[];
}

/** SIGKILL for one server after the other. */
export const killUnderLoad = ({ kills, ...options }: RunOptions): Promise<Report> =>
  withCluster(options, async (world, dice) => {
    for (let round = 0; round < kills && world.faults.length === 0; round++) {
      const victim = dice.pick(world.servers);
      await oneRound(world, dice, victim);
      world.counts.kills = round + 1;
      if (world.counts.kills % 10 === 0) console.log(`seed ${options.seed}: ${round + 1} kills`);
    }
  });

/** Suspends one of two servers under load until the other has taken over, and then resumes it. */
export const pauseUnderLoad = (options: Omit<RunOptions, "kills">): Promise<Report> =>
  withCluster(options, async (world, dice) => {
    const { servers, books, counts, faults } = world;
    const [paused, other] = servers as [ServerProcess, ServerProcess];
    // A change through one server is visible through the other.
    await paused.ask("PUT", "/2/tags?tag=first");
    await jobsAtRest(world);
    await until(async () => String((await other.ask("GET", "/2/tags")).body).includes("first"));
    // One job at least is under way in the one that is going to stand still.
    const delay = { OP_ID: "OP_TEST_DELAY", duration: 600, on_master: true };
    await paused.ask("POST", "/ganeti-ts/1/jobs", { jobs: [[delay]] });
    let isOver = false;
    const known = books.acknowledged.size;
    const clients = Array.from({ length: 6 }, () => client(servers, books, dice, () => isOver));
    await until(async () => books.acknowledged.size >= known + 12);
    await until(async () => (await jobsOf(other, ["=", "status", "running"])).some(isDelay));
    paused.pause();
    const start = Date.now();
    isOver = true;
    const jobs = await jobsAtRest(world);
    counts.takeoverMs = Date.now() - start;
    const hosts = hostsIn(await statesOf(world));
    const before = JSON.stringify(hosts);
    if (hosts.some(({ fenced }) => fenced.length !== 1)) faults.push("nodes were not told");
    counts.exitCode = (await paused.goOn()) ?? -1;
    // Requests that the paused one had taken end with it.
    await Promise.all(clients);
    const after = JSON.stringify(hostsIn(await statesOf(world)));
    if (after !== before) faults.push("a server that was declared dead has changed the nodes");
    await check(world, jobs, faults);
  });

const isDelay = ({ summary }: Job) => String(summary[0]).startsWith("TEST_DELAY");

async function withCluster(
  { seed, shared }: Omit<RunOptions, "kills">,
  act: (world: World, dice: Dice) => Promise<void>,
): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "life-"));
  const args = ["--init=life.example.com", "--groups=1", "--iallocator-search-path="];
  if (shared) args.push(`--store=${shared.url}`, `--lease=${leaseSeconds}`);
  const servers = Array.from(
    { length: shared?.servers ?? 1 },
    (_, at) => new ServerProcess(join(folder, `server${at + 1}`), args),
  );
  const dice = new Dice(seed);
  const books = newBooks();
  const faults: string[] = [];
  const left = new Set<string>();
  const counts: Record<string, number> = {
    kills: 0,
    jobs: 0,
    success: 0,
    error: 0,
    died: 0,
    lost: 0,
  };
  const world = { servers, books, open: opener(folder, shared?.url), faults, left, counts };
  try {
    for (const server of servers) await server.start();
    const first = servers[0] as ServerProcess;
    await first.ask("POST", "/2/instances", creation(grown));
    await jobsAtRest(world);
    const { body } = await first.ask("GET", "/2/nodes");
    books.nodes.push(...(body as readonly { readonly id: string }[]).map(({ id }) => id));
    await act(world, dice);
    if (faults.length === 0) await nothingHeld(world);
    return { faults, left: [...left], counts: { ...counts, ...books.counts } };
  } finally {
    for (const server of servers) await server.end();
    rmSync(folder, { recursive: true });
  }
}

interface World {
  readonly servers: readonly ServerProcess[];
  readonly books: Books;
  readonly open: () => Promise<{ store: ConfigStore; states: KeptStates; close(): Promise<void> }>;
  readonly faults: string[];
  readonly left: Set<string>;
  readonly counts: Record<string, number>;
}

async function oneRound(world: World, dice: Dice, victim: ServerProcess): Promise<void> {
  const { servers, books, faults } = world;
  await startLost(world);
  let isOver = false;
  const known = books.acknowledged.size;
  const clients = Array.from({ length: 4 }, () => client(servers, books, dice, () => isOver));
  // On a busy machine the time alone would be over before there was anything to lose.
  await until(async () => books.acknowledged.size >= known + 8);
  await new Promise((resolve) => setTimeout(resolve, dice.fraction() * 500));
  await victim.end("SIGKILL");
  // Where there are others, these go on for a while.
  if (servers.length > 1) await new Promise((resolve) => setTimeout(resolve, 500));
  isOver = true;
  await Promise.all(clients);
  if (servers.length === 1) await victim.start();
  const jobs = await jobsAtRest(world);
  if (servers.length > 1) await victim.start();
  await check(world, jobs, faults);
}

async function statesOf({ open }: World): Promise<KeptStates> {
  const { states, close } = await open();
  await close();
  return states;
}

const hostsIn = ({ hosts }: KeptStates): readonly HostState[] =>
  Array.from(hosts.values(), (read) => read());

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 300_000; !(await isSo()); ) {
    if (Date.now() > end) throw new Error("what was expected did not come about");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** All acknowledged jobs, after their end. */
async function jobsAtRest(world: World): Promise<readonly Job[]> {
  for (const end = Date.now() + 600_000; ; ) {
    await startLost(world);
    const server = world.servers.find((one) => one.isUp);
    if (server === undefined)
      throw new Error(`no server is up: ${world.servers.map(({ log }) => log)}`);
    try {
      // Only unfinished jobs are queried repeatedly.
      const open = await jobsOf(server, isOpen);
      if (open.length === 0) return await jobsOf(server);
      if (Date.now() > end) {
        world.faults.push(`jobs ${open.map(({ id, status }) => `${id} ${status}`)} do not end`);
        return await jobsOf(server);
      }
    } catch (error) {
      if (server.isUp) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** On a busy machine one that was not killed may be declared dead as well. */
async function startLost({ servers, counts }: World): Promise<void> {
  for (const server of servers.filter((one) => one.hasLostItsLease)) {
    counts.lost = (counts.lost ?? 0) + 1;
    await server.start();
  }
}

const isOpen: Json = [
  "|",
  ...JobStatus.options
    .filter((status) => !isFinalized(status))
    .map((status) => ["=", "status", status]),
];

async function jobsOf(server: ServerProcess, qfilter?: Json): Promise<readonly Job[]> {
  const fields = ["id", "status", "opresult", "summary"];
  const { body } = await server.ask("PUT", "/2/query/job", { fields, qfilter });
  const { data } = body as { data: readonly (readonly [number, unknown])[][] };
  return data.map((row) => {
    const [id, status, results, summary] = row.map(([, value]) => value);
    return { id, status, results, summary } as Job;
  });
}

async function check(world: World, jobs: readonly Job[], faults: string[]): Promise<void> {
  const { books, open, left, counts } = world;
  const byId = new Map(jobs.map((job) => [job.id, job]));
  for (const id of books.acknowledged) {
    if (!byId.has(id)) faults.push(`job ${id} was acknowledged and is not there`);
  }
  const died = jobs.filter(({ results }) => String(results.at(-1)).startsWith("detected death"));
  Object.assign(counts, { jobs: jobs.length, died: died.length });
  for (const status of ["success", "error"] as const) {
    counts[status] = jobs.filter((job) => job.status === status).length;
  }
  const { store, states, close } = await open();
  try {
    const found = await faultsOf(store, states);
    faults.push(...found.wrong);
    for (const one of found.left) left.add(one);
    faults.push(...(await growthFaults(store, jobs)));
  } finally {
    await close();
  }
}

/**
 * Waits until recovery has removed what ended jobs have left on nodes. Old copies of disks are kept until the new ones
 * are complete: the commands that verification gives do that.
 */
async function nothingHeld(world: World): Promise<void> {
  const { open, faults, counts, servers } = world;
  for (const end = Date.now() + 600_000; ; ) {
    await jobsAtRest(world);
    const { store, states, close } = await open();
    const { claims } = await faultsOf(store, states).finally(close);
    if (claims.length === 0) return;
    counts.claims = Math.max(counts.claims ?? 0, claims.length);
    if (Date.now() > end) return void faults.push(...claims);
    await completeCopies(servers.find((one) => one.isUp) as ServerProcess);
    await new Promise((resolve) => setTimeout(resolve, 5000));
  }
}

/** As the administrator does who runs `gnt-cluster verify`. */
async function completeCopies(server: ServerProcess): Promise<void> {
  const verification = { OP_ID: "OP_CLUSTER_VERIFY_GROUP", group_name: "default" };
  for (const line of await logOf(server, verification)) {
    const command = /old copy .*'gnt-instance ([^']+)'/.exec(line)?.[1];
    if (command === undefined) continue;
    const [, verb, side, instance_name = ""] = /^(\S+)( -[ps])? (\S+)$/.exec(command) ?? [];
    if (verb === "activate-disks") {
      await logOf(server, { OP_ID: "OP_INSTANCE_ACTIVATE_DISKS", instance_name });
    } else {
      const mode = side === " -p" ? "replace_on_primary" : "replace_on_secondary";
      const disks: readonly number[] = [];
      await logOf(server, { OP_ID: "OP_INSTANCE_REPLACE_DISKS", instance_name, mode, disks });
    }
  }
}

/** Log of a job with this opcode, after its end. */
async function logOf(server: ServerProcess, opcode: object): Promise<readonly string[]> {
  const { body: submitted } = await server.ask("POST", "/ganeti-ts/1/jobs", { jobs: [[opcode]] });
  const id = /\d+/.exec(JSON.stringify(submitted))?.[0];
  for (;;) {
    const { body } = await server.ask("GET", `/2/jobs/${id}`);
    const { status, oplog } = body as { status: JobStatus; oplog: readonly unknown[][][] };
    if (isFinalized(status)) return oplog.flat().map((line) => String(line.at(-1)));
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Every growth that succeeded has happened once, and one that failed at most once. */
async function growthFaults(store: ConfigStore, jobs: readonly Job[]): Promise<readonly string[]> {
  const { rows } = await store.load();
  const objects = (wanted: string) =>
    [...rows].flatMap(({ type, document }) =>
      type === wanted && document !== null ? [JSON.parse(document) as Stored] : [],
    );
  const instance = objects("instance").find(({ name }) => name === grown);
  const disk = objects("disk").find(({ uuid }) => uuid === instance?.disks?.[0]);
  if (disk?.size === undefined) return [];
  const times = (disk.size - firstSize) / growth;
  const growing = jobs.filter(({ summary }) => summary[0] === `INSTANCE_GROW_DISK(${grown})`);
  const sure = growing.filter(({ status }) => status === "success").length;
  if (times >= sure && times <= growing.length) return [];
  return [`${grown} has grown ${times} times, by ${sure} jobs that succeeded`];
}

interface Stored {
  readonly uuid: string;
  readonly name?: string;
  readonly disks?: readonly string[];
  readonly size?: number;
}

const opener = (folder: string, url: string | undefined) => async () => {
  if (url === undefined) {
    // The server, which does nothing now, has the files for itself: a copy can be read.
    const copy = mkdtempSync(join(folder, "copy-"));
    // The log first: what a checkpoint moves in between is then read twice, and not left out.
    for (const end of ["-wal", ""]) {
      cpSync(join(folder, "server1", `cluster.db${end}`), join(copy, `cluster.db${end}`));
      cpSync(join(folder, "server1", "nodes", `nodes.db${end}`), join(copy, `nodes.db${end}`));
    }
    const store = openSqliteConfigStore(join(copy, "cluster.db"));
    const nodeStates = openSqliteNodeStates(join(copy, "nodes.db"));
    const states = await nodeStates.load();
    const close = async () => {
      await store.close();
      await nodeStates.close();
      rmSync(copy, { recursive: true });
    };
    return { store, states, close };
  }
  const store = await openPostgresConfigStore({ connection: url });
  const nodeStates = await openPostgresNodeStates({ connection: url });
  const states = await nodeStates.load();
  return {
    store,
    states,
    async close() {
      await store.close();
      await nodeStates.close();
    },
  };
};

// Replay of a day on a virtual clock: all parts of a server but its sockets, on simulated nodes.
import { memoryStores, memoryWatcherNotes, openCluster } from "@ganeti-ts/cluster";
import { createConfiguration } from "@ganeti-ts/config";
import type { Resolver } from "@ganeti-ts/node-calls";
import { type Durations, SimulatedNodes } from "@ganeti-ts/simulated-nodes";
import { Dice, VirtualClock } from "@ganeti-ts/testkit/simulation";
import { type Clients, startClients } from "./clients.js";
import { type DaySize, dayCluster } from "./cluster.js";
import { operations, type Site } from "./operations.js";
import { Population } from "./population.js";
import type { DayEvent, EventKind } from "./trace.js";

/** Durations of operations on ordinary machines. */
const durations: Durations = {
  callMs: 5,
  instanceStartMs: 2000,
  instanceStopMs: 5000,
  osScriptMs: 20_000,
  migrationSpeed: 1024,
  syncSpeed: 600,
  copySpeed: 500,
};

const watcherMs = 300_000;
const hourMs = 3_600_000;

/** Every name resolves, and no address answers. */
const resolver: Resolver = {
  resolve: async (name) => ({ ok: true, name, ip: "198.51.100.7" }),
  isAlive: async () => false,
};

export interface Opened {
  readonly site: Site;
  readonly clients: Clients;
  readonly clock: VirtualClock;
  /** Processor time (s) of opening the cluster, without that of making its data. */
  readonly openSeconds: number;
}

export interface OpenOptions {
  readonly size: DaySize;
  /** Maximum age (ms) of figures of nodes that placements use. */
  readonly figuresAgeMs: number;
  readonly seed: number;
}

export async function openDay({ size, figuresAgeMs, seed }: OpenOptions): Promise<Opened> {
  const clock = new VirtualClock();
  const { content, hosts } = dayCluster(size, clock.wallMicros() / 1e6);
  const start = cpuSeconds();
  const simulated = await SimulatedNodes.open({
    clock,
    durations,
    hosts: [],
    begin: { hosts: new Map(hosts.map((host) => [host.name, () => host])), shared: undefined },
  });
  const stores = memoryStores({ clock });
  const cluster = { ...content.cluster, max_running_jobs: 100 };
  await createConfiguration(stores.config, { ...content, cluster });
  const opened = openCluster({
    stores,
    nodes: (now) => ({
      ...{ backend: simulated, fence: simulated },
      masterHost: simulated.masterHost(() => now().cluster.master_node),
    }),
    ...{ resolver, clock, random: new Dice(seed) },
    nodeFigures: { ageMaxMs: figuresAgeMs },
    watcher: { intervalMs: watcherMs, notes: memoryWatcherNotes() },
  });
  const site: Site = {
    cluster: await during(clock, opened),
    ...{ simulated, clock },
    instances: new Population(content.instances.map(({ name }) => name as string)),
    nodes: new Population(content.nodes.slice(1).map(({ name }) => name)),
    groups: content.groups.map(({ name }) => name),
    made: 0,
    underMaintenance: 0,
    failures: new Map(),
  };
  const dice = new Dice(seed + 1);
  const fraction = () => dice.fraction();
  const clients = startClients(site.cluster, clock, { nodes: site.nodes, fraction });
  return { site, clients, clock, openSeconds: cpuSeconds() - start };
}

/** Outcome of the operations of one kind. */
export interface KindCounts {
  count: number;
  failed: number;
  /** Seconds of the virtual clock until all jobs of the operation had ended. */
  readonly seconds: number[];
}

export interface Replayed {
  readonly kinds: ReadonlyMap<EventKind, KindCounts>;
  /** Processor time (s). */
  readonly seconds: number;
}

/** Replays the events from one hour of the day to another, and waits for the last operation. */
export async function replay(
  { site, clock }: Opened,
  events: readonly DayEvent[],
  { fromHour, untilHour }: { readonly fromHour: number; readonly untilHour: number },
  report: (line: string) => void,
): Promise<Replayed> {
  const kinds = new Map<EventKind, KindCounts>();
  const start = cpuSeconds();
  const beginMs = clock.now() - fromHour * hourMs;
  let running = 0;
  for (const { atMs, kind, choice } of events) {
    if (atMs < fromHour * hourMs || atMs >= untilHour * hourMs) continue;
    const counts = kinds.get(kind) ?? { count: 0, failed: 0, seconds: [] };
    kinds.set(kind, counts);
    clock.after(beginMs + atMs - clock.now(), async () => {
      running++;
      const begin = clock.now();
      const isDone = await operations[kind](site, choice);
      running--;
      counts.count++;
      if (!isDone) counts.failed++;
      counts.seconds.push((clock.now() - begin) / 1000);
    });
  }
  for (let hour = fromHour; hour < untilHour; ) {
    const next = Math.min(Math.floor(hour) + 1, untilHour);
    await clock.pass((next - hour) * hourMs);
    hour = next;
    report(`${hour} h: ${(cpuSeconds() - start).toFixed(1)} s, ${running} operations running`);
  }
  for (let waited = 0; running > 0 && waited < 24; waited++) await clock.pass(hourMs / 6);
  if (running > 0) throw new Error(`${running} operations do not end`);
  return { kinds, seconds: cpuSeconds() - start };
}

/** Lets the clock run until the promise is settled. */
export async function during<Value>(clock: VirtualClock, promise: Promise<Value>): Promise<Value> {
  let isOver = false;
  const done = promise.finally(() => {
    isOver = true;
  });
  while (!isOver) await clock.pass(100);
  return done;
}

/** Processor time (s) of this process so far, that of its garbage collector included. */
export function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

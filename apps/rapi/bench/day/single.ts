// Cost of single operations: each kind alone on the cluster, several times, minus the cost of background work.
import { operations } from "./operations.js";
import { cpuSeconds, during, type Opened } from "./replay.js";
import type { EventKind } from "./trace.js";

const kinds = [
  ...(["create", "remove", "modify", "tag", "restart", "migrate", "grow", "balance"] as const),
] satisfies readonly EventKind[];

/** Median processor time (ms) of each kind, and of lists and searches. */
export async function singleCosts(opened: Opened, rounds: number): Promise<Record<string, number>> {
  const { site, clients, clock } = opened;
  clients.stop();
  await during(clock, site.cluster.objects.pauseWatcher(clock.wallMicros() / 1e6 + 1e6));
  // Let running rounds end.
  await clock.pass(600_000);
  const background = (await costOf(() => clock.pass(600_000))) / 600_000;
  const found = new Map<string, number[]>();
  const measureOnce = async (name: string, act: () => Promise<unknown>) => {
    const begin = clock.now();
    const ms = await costOf(() => during(clock, act()));
    const all = found.get(name) ?? [];
    found.set(name, [...all, ms - background * (clock.now() - begin)]);
  };
  const measure = async (name: string, act: (choice: number) => Promise<unknown>) => {
    for (let round = 0; round < rounds; round++) {
      await measureOnce(name, () => act((round + 0.5) / rounds));
    }
  };
  for (const kind of kinds) {
    await measure(kind, async (choice) => {
      site.failures.clear();
      if (await operations[kind](site, choice)) return;
      throw new Error(`${kind} has failed: ${[...site.failures.keys()].join("; ")}`);
    });
  }
  await measure("search", (choice) => clients.search(choice));
  for (let round = 0; round < rounds; round++) {
    // Without a change the cached list would be returned.
    await during(clock, operations.tag(site, (round + 0.7) / rounds));
    await measureOnce("list", () => clients.list());
  }
  const median = (all: readonly number[]) => all.toSorted((a, b) => a - b)[all.length >> 1] ?? 0;
  return {
    ...Object.fromEntries(Array.from(found, ([name, all]) => [name, rounded(median(all))])),
    "background, each minute": rounded(background * 60_000),
  };
}

async function costOf(act: () => Promise<unknown>): Promise<number> {
  const start = cpuSeconds();
  await act();
  return (cpuSeconds() - start) * 1000;
}

const rounded = (value: number): number => Number(value.toPrecision(3));

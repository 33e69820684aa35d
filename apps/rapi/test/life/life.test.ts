// Servers that are killed under load, all at the same time: they mostly wait. More of it, on several clusters of
// each kind that share the kills: `KILLS=200 CLUSTERS=2 SEED=7 npx vitest run test/life`; on a busy machine also LEASE=15 (seconds).
import { isThorough } from "@ganeti-ts/testkit";
import { type Server, startPostgres, wherePostgresIsInstalled } from "@ganeti-ts/testkit/postgres";
import { expect, test } from "vitest";
import { killUnderLoad, pauseUnderLoad, type Report } from "./run.js";

const kills = Number(process.env.KILLS ?? (isThorough ? 10 : 1));
const seed = Number(process.env.SEED ?? 1);
const clusterCount = Number(process.env.CLUSTERS ?? 1);
const timeout = 1_800_000 + kills * 60_000;

function expectAllWell({ faults, counts, left }: Report): void {
  if (process.env.KILLS !== undefined) console.log(JSON.stringify({ counts, left, faults }));
  expect(faults, `SEED=${seed} KILLS=${kills}`).toEqual([]);
  expect(left).toEqual([]);
}

/** Clusters, each with a seed and a share of the kills. */
async function onSomeClusters(
  act: (share: { readonly seed: number; readonly kills: number }) => Promise<Report>,
): Promise<void> {
  const shares = Array.from({ length: clusterCount }, (_, at) => ({
    seed: seed + at,
    kills: Math.ceil((kills - at) / clusterCount),
  }));
  const reports = await Promise.all(shares.map(act));
  for (const report of reports) expectAllWell(report);
  const sum = (name: string) =>
    reports.reduce((total, { counts }) => total + (counts[name] ?? 0), 0);
  expect(sum("kills")).toBe(kills);
  // More than the initial instance of each cluster.
  expect(sum("success")).toBeGreaterThan(clusterCount);
}

async function onPostgres<T>(act: (database: Server) => Promise<T>): Promise<T> {
  const database = await startPostgres();
  try {
    return await act(database);
  } finally {
    await database.stop();
  }
}

test.concurrent("a server that is killed under load finds everything it acknowledged, and all in order", {
  timeout,
}, async () => {
  await onSomeClusters((share) => killUnderLoad(share));
});

wherePostgresIsInstalled(
  test,
  "one of two servers of a database is killed under load: the other takes over, all is in order",
  () =>
    onSomeClusters((share) =>
      onPostgres(({ url }) => killUnderLoad({ ...share, shared: { url, servers: 2 } })),
    ),
  { timeout, concurrent: true },
);

wherePostgresIsInstalled(
  test,
  "a server that only stood still ends when it goes on, and nodes take nothing from it",
  () =>
    onPostgres(async ({ url }) => {
      const report = await pauseUnderLoad({ seed, shared: { url, servers: 2 } });
      expectAllWell(report);
      expect(report.counts.died).toBeGreaterThan(0);
      expect(report.counts.exitCode).toBe(1);
    }),
  { timeout, concurrent: true },
);

// Servers that are killed under load, all at the same time: they mostly wait. More of it: `KILLS=200 SEED=7 npx vitest run test/life`.
import { missing, programs, type Server, startPostgres } from "@ganeti-ts/testkit/postgres";
import { expect, test } from "vitest";
import { killUnderLoad, pauseUnderLoad, type Report } from "./run.js";

const kills = Number(process.env.KILLS ?? 2);
const seed = Number(process.env.SEED ?? 1);
const timeout = 120_000 + kills * 60_000;

function expectAllWell({ faults, counts, left }: Report): void {
  if (process.env.KILLS !== undefined) console.log(JSON.stringify({ counts, left, faults }));
  expect(faults, `SEED=${seed} KILLS=${kills}`).toEqual([]);
  // What a replacement of disks has put aside when it died, and a person looks at.
  expect(left.filter((one) => !one.includes("_replaced-"))).toEqual([]);
  expect(counts.success).toBeGreaterThan(0);
}

async function onPostgres(act: (database: Server) => Promise<void>): Promise<void> {
  const database = await startPostgres();
  try {
    await act(database);
  } finally {
    await database.stop();
  }
}

test.concurrent("a server that is killed under load finds everything it acknowledged, and all in order", {
  timeout,
}, async () => {
  const report = await killUnderLoad({ seed, kills });
  expectAllWell(report);
  expect(report.counts.kills).toBe(kills);
});

const title = (text: string) => (programs === undefined ? `${missing}: ${text}` : text);

test.skipIf(programs === undefined)(
  title(
    "one of two servers of a database is killed under load: the other takes over, all is in order",
  ),
  { timeout, concurrent: true },
  () =>
    onPostgres(async ({ url }) => {
      const report = await killUnderLoad({ seed, kills, shared: { url, servers: 2 } });
      expectAllWell(report);
      expect(report.counts.kills).toBe(kills);
    }),
);

test.skipIf(programs === undefined)(
  title("a server that only stood still ends when it goes on, and nodes take nothing from it"),
  { timeout, concurrent: true },
  () =>
    onPostgres(async ({ url }) => {
      const report = await pauseUnderLoad({ seed, shared: { url, servers: 2 } });
      expectAllWell(report);
      expect(report.counts.died).toBeGreaterThan(0);
      expect(report.counts.exitCode).toBe(1);
    }),
);

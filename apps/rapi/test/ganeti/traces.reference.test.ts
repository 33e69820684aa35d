// Node calls of each operation, compared with those of Ganeti's own master on the same bench: the
// same calls, in the same order on each node. GANETI_TS_RECORD=1 records the original again.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { benchUnavailable, withReferenceCluster } from "@ganeti-ts/reference";
import { describe, expect, test } from "vitest";
import { differences, isLeftOut } from "./differences.js";
import { byOriginal, operations, ownServer, type Trace, traced } from "./traced-run.js";

const problem = benchUnavailable();
if (problem !== undefined) console.warn(`SKIPPED, no test has run here: ${problem}`);

const fixture = fileURLToPath(new URL("../fixtures/ganeti-traces.json", import.meta.url));
const docs = fileURLToPath(
  new URL("../../../../packages/logical-units/docs/differences.md", import.meta.url),
);
const isRecording = process.env.GANETI_TS_RECORD !== undefined;

/** Timeout (ms), far longer than all operations take with a master that needs seconds for each. */
const timeoutMs = 1_800_000;

describe.skipIf(problem !== undefined || !isRecording)("The master of Ganeti", () => {
  test("has its node calls recorded", { timeout: timeoutMs }, () =>
    withReferenceCluster({ storage: true }, async (bench) => {
      const traces = await traced(bench, byOriginal(bench));
      const lines = traces.map(({ name, exit, calls }) => JSON.stringify({ name, exit, calls }));
      writeFileSync(fixture, `[\n${lines.join(",\n")}\n]\n`);
    }),
  );
});

describe.skipIf(problem !== undefined || isRecording)("Our server on nodes of Ganeti", () => {
  test(
    "makes the node calls of Ganeti's master, but for named differences",
    {
      timeout: timeoutMs,
    },
    () =>
      withReferenceCluster({ storage: true }, async (bench) => {
        expect(existsSync(fixture)).toBe(true);
        const original: readonly Trace[] = JSON.parse(readFileSync(fixture, "utf8"));
        expect(original.map(({ name }) => name)).toEqual(operations.map(({ name }) => name));
        // Placements query all nodes, as Ganeti's; figures that are kept would add calls in the background, as would a round
        // of the watcher if the operations take longer than five minutes.
        const server = await ownServer(bench, undefined, ["--figures-age=0", "--watcher=off"]);
        const ours = await traced(bench, server.run).finally(() => server.stop());
        const used = new Set<string>();
        const unequal = ours.flatMap((trace, at) => {
          const expected = compared(original[at] as Trace, "original", used);
          const found = compared(trace, "ours", used);
          if (JSON.stringify(found) === JSON.stringify(expected)) return [];
          return [{ name: trace.name, expected, found, output: trace.output }];
        });
        expect(unequal).toEqual([]);
        const unused = differences.filter(({ why }) => !used.has(why));
        expect(unused.map(({ why }) => why)).toEqual([]);
      }),
  );
});

test("every difference of node calls has a row in the documentation", () => {
  const text = readFileSync(docs, "utf8");
  const missing = differences.filter(({ why }) => !text.includes(`| ${why} |`));
  expect(missing.map(({ why }) => why)).toEqual([]);
});

const polled: ReadonlySet<string> = new Set([
  ...["blockdev_getmirrorstatus", "drbd_wait_sync", "instance_get_migration_status"],
]);

/** Operations of several jobs at a time: which one calls a node first is a matter of time. */
const hasParallelJobs = (name: string): boolean =>
  /^(cluster verify|node: (migrate|failover|evacuate))/.test(name);

/** A trace without what named differences leave out; adds these to `used`. Nodes without calls are left out. */
function compared({ name, exit, calls }: Trace, side: "original" | "ours", used: Set<string>) {
  const kept = Object.entries(calls).map(([node, labels]) => {
    const left = labels.filter((label, at) => {
      // The number of repetitions depends on timing.
      if (polled.has(label) && label === labels[at - 1]) return false;
      const difference = differences.find((one) => isLeftOut(side, one, name, label));
      if (difference !== undefined) used.add(difference.why);
      return difference === undefined;
    });
    return [node, hasParallelJobs(name) ? left.sort() : left] as const;
  });
  const byNode = kept.filter(([, labels]) => labels.length > 0).sort(byName);
  return { exit, calls: Object.fromEntries(byNode) };
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : Number(a > b);

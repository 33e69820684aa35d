/** Held jobs: the last line of a terminal shows the reason. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Cluster, JobChange } from "../src/cluster.js";
import { ServerLacks } from "../src/errors.js";
import { program } from "../src/programs/gnt-instance.js";
import { aTerminal } from "./a-terminal.js";
import { fakeCluster, tableOf } from "./fake-cluster.js";
import { runLine } from "./run-line.js";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  vi.setTimerTickMode("nextTimerAsync");
});
afterEach(() => void vi.useRealTimers());

/** Follows a job that stays in `status` for 20 s; returns all output to a terminal of `columns`. */
async function followed(status: string, why: Cluster["why"], columns?: number): Promise<string> {
  const changes: JobChange[] = [
    { values: [status, [status], [null]], log: [] },
    { values: ["success", ["success"], [null]], log: [] },
  ];
  const cluster = fakeCluster({
    why,
    waitForChange: async () => {
      if (changes.length === 1) await new Promise((resolve) => setTimeout(resolve, 20_000));
      return changes.shift() as JobChange;
    },
  });
  const terminal = columns === undefined ? undefined : aTerminal(columns);
  const line = "startup web1";
  const { stdout, stderr } = await runLine(program, line, { cluster: withWeb1(cluster), terminal });
  return stdout + stderr;
}

const withWeb1 = (cluster: Cluster): Cluster => ({
  ...cluster,
  query: async (_, names) => tableOf(names, [["web1", "u"]]),
});

const cause = (text: string) => [{ kind: "paused", text }];

test("the rule, limit, dependency or lock is named, with the command for details", async () => {
  const text = await followed("queued", async () => cause("waits for job 7 to finish"), 80);
  expect(text).toContain("Job 1 waits for job 7 to finish [gnt-job why 1]");
});

test("a narrow terminal shortens the cause and keeps the command", async () => {
  const long = cause("is paused by filter rule 00000000-0000-4000-8000-000000000001 (switch)");
  const text = await followed("queued", async () => long, 60);
  expect(text).toContain("Job 1 is paused by filter rule 00000000… (… [gnt-job why 1]");
  // The rule is shortened, so that its reason fits.
  expect(await followed("queued", async () => long, 80)).toContain(
    "Job 1 is paused by filter rule 00000000… (switch) [gnt-job why 1]",
  );
});

test("a cause that changes while the job waits is shown again, and several are counted", async () => {
  let asked = 0;
  const text = await followed(
    "waiting",
    async () => {
      asked += 1;
      if (asked === 1) return [];
      return asked === 2
        ? cause("waits for node/n1")
        : [...cause("waits for node/n2"), ...cause("")];
    },
    80,
  );
  const shown = [
    "Job 1 is trying to acquire all necessary locks",
    "Job 1 waits for node/n1 [gnt-job why 1]",
    "Job 1 waits for node/n2; 1 more [gnt-job why 1]",
  ];
  expect(shown.map((one) => text.indexOf(one)).toSorted((a, b) => a - b)).toEqual(
    shown.map((one) => text.indexOf(one)),
  );
  expect(shown.every((one) => text.includes(one))).toBe(true);
  // After 0, 1 and 6 s, then every 10 s.
  expect(asked).toBe(4);
});

test("a server that cannot give causes gets one request, and the state is shown", async () => {
  let asked = 0;
  const text = await followed(
    "queued",
    async () => {
      asked += 1;
      throw new ServerLacks("its remote API cannot say why a job does not run");
    },
    80,
  );
  expect(text).toContain("Job 1 is waiting in queue");
  expect(text).not.toContain("cannot say");
  expect(asked).toBe(1);
});

test("without a terminal no causes are requested", async () => {
  const text = await followed("queued", async () => {
    throw new Error("asked");
  });
  expect(text).toMatch(/^Waiting for job 1 for web1 ...\n$/);
});

test("a running job shows no cause", async () => {
  let asked = 0;
  const text = await followed(
    "running",
    async () => {
      asked += 1;
      return [];
    },
    80,
  );
  expect([asked, text]).toEqual([0, "Waiting for job 1 for web1 ...\n"]);
});

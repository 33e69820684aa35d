import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Command, Program } from "../src/command.js";
import { ConnectionFailure, Interrupted } from "../src/errors.js";
import type { Invocation } from "../src/invocation.js";
import { runMany, runOpcode } from "../src/jobs/follow.js";
import { dryRun, priority, submitting } from "../src/options/shared.js";
import { ctimeText } from "../src/time-text.js";
import { fakeCluster, tableOf } from "./fake-cluster.js";
import { runLine } from "./run-line.js";

const startup = (instance_name: string) => ({ OP_ID: "OP_INSTANCE_STARTUP", instance_name });

const command = (name: string, run: (invocation: Invocation) => Promise<unknown>): Command => ({
  name,
  summary: "",
  usage: "",
  examples: {},
  arguments: [{ kind: "instance", min: 0, max: Number.POSITIVE_INFINITY }],
  options: [...submitting, dryRun, priority],
  load: async () => async (invocation) => ((await run(invocation)) === 1 ? 1 : 0),
});

const program: Program = {
  name: "gnt-try",
  summary: "",
  commands: [
    command("one", (invocation) => runOpcode(invocation, startup("web1"))),
    command("many", (invocation) =>
      runMany(
        invocation,
        invocation.args.map((name) => ({ name, opcode: startup(name) })),
      ),
    ),
  ],
};

const ctime = (at: number) => ctimeText(1_800_000_000 + at);

describe("one job", () => {
  test("a job is followed to its end with its messages", async () => {
    const cluster = fakeCluster({ jobOf: () => ({ log: ["* starting", "a\nb\té"] }) });
    expect(await runLine(program, "one", { cluster })).toEqual({
      code: 0,
      stderr: "",
      stdout: `${ctime(0)} * starting\n${ctime(1)} a\\nb\\t\\xe9\n`,
    });
  });

  test("a job's opcode has priority, dry run and a reason trail with user and command", async () => {
    const cluster = fakeCluster();
    await runLine(program, "one --reason 'too slow' --priority=high --dry-run -d", { cluster });
    const now = 1_800_000_000_000_000_000n;
    expect(cluster.submitted).toEqual([
      [
        {
          ...startup("web1"),
          debug_level: 1,
          dry_run: true,
          priority: -10,
          reason: [
            ["gnt:user", "too slow", now],
            ["gnt:client:gnt-try", "one", now],
          ],
        },
      ],
    ]);
  });

  test("--submit does not wait for the job", async () => {
    expect(await runLine(program, "one --submit --print-jobid")).toEqual({
      code: 0,
      stdout: "1\n",
      stderr: "JobID: 1\n",
    });
  });

  test("--print-jobid prints the id first", async () => {
    const cluster = fakeCluster({ jobOf: () => ({ log: ["* starting"] }) });
    const { stdout } = await runLine(program, "one --print-jobid", { cluster });
    expect(stdout).toBe(`1\n${ctime(0)} * starting\n`);
  });

  test.each([
    {
      error: ["OpPrereqError", ["Instance 'web1' not known", "unknown_entity"]],
      says: "Failure: prerequisites not met for this operation:\nerror type: unknown_entity, error details:\nInstance 'web1' not known",
    },
    {
      error: ["OpPrereqError", ["not now"]],
      says: "Failure: prerequisites not met for this operation:\nnot now",
    },
    { error: ["OpExecError", ["no"]], says: "Failure: command execution error:\nno" },
    { error: ["TagError", ["bad"]], says: "Failure: invalid tag(s) given:\nbad" },
    { error: ["ResolverError", ["h", 1, "x"]], says: "Failure: can't resolve hostname 'h'" },
    {
      error: [
        "HooksAbort",
        [
          [
            ["node1", "10-check", "full"],
            ["node2", "20-x", ""],
          ],
        ],
      ],
      says: "Failure: hooks execution failed:\n  node: node1, script: 10-check, output: full\n  node: node2, script: 20-x (no output)",
    },
    { error: ["JobLost", ["gone"]], says: "Error checking job status: gone" },
    { error: ["LockError", ["a", 1]], says: "Unhandled Ganeti error: ('a', 1)" },
    {
      error: "detected death of job 1",
      says: "Failure: command execution error:\ndetected death of job 1",
    },
  ])("fails as its result says: $says", async ({ error, says }) => {
    const cluster = fakeCluster({ jobOf: () => ({ error }) });
    expect(await runLine(program, "one", { cluster })).toEqual({
      code: 1,
      stdout: "",
      stderr: `${says}\n`,
    });
  });

  test("a canceled or vanished job is a failure", async () => {
    const canceled = fakeCluster({ jobOf: () => ({ status: "canceled" }) });
    expect((await runLine(program, "one", { cluster: canceled })).stderr).toBe(
      "Unhandled Ganeti error: Job was canceled\n",
    );
    const gone = fakeCluster({ waitForChange: async () => "gone" });
    expect((await runLine(program, "one", { cluster: gone })).stderr).toBe(
      "Error checking job status: Can't load job file\n",
    );
  });

  test("a job continues after Ctrl-C, and a message says so", async () => {
    const cluster = fakeCluster({
      waitForChange: async () => {
        throw new Interrupted();
      },
    });
    const { code, stderr } = await runLine(program, "one", { cluster });
    expect([code, stderr]).toEqual([
      1,
      'Aborted. Job 1 continues in the background: "gnt-job watch 1" follows it, "gnt-job cancel 1" cancels it unless it is running.\n',
    ]);
  });

  describe("following a job while its server does not answer", () => {
    beforeEach(() => {
      vi.useFakeTimers({ toFake: ["setTimeout"] });
      vi.setTimerTickMode("nextTimerAsync");
    });
    afterEach(() => void vi.useRealTimers());

    /** Answers the first call, then fails this number of times. */
    const silentFor = (times: number, passing = true) => {
      let asked = 0;
      return fakeCluster({
        waitForChange: async () => {
          asked += 1;
          if (asked === 1) return { values: ["running", ["running"], [null]], log: [] };
          if (asked <= times + 1) throw new ConnectionFailure("nobody answers", { passing });
          return { values: ["success", ["success"], [7]], log: [] };
        },
      });
    };

    test("a job is followed again once the server answers", async () => {
      const { code, stderr } = await runLine(program, "one", { cluster: silentFor(9) });
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    });

    test.each([
      [10, true],
      [1, false],
    ])(
      "a silent server does not count as a failed job: silent for %i times, passing %s",
      async (times, passing) => {
        const ran = await runLine(program, "one", { cluster: silentFor(times, passing) });
        expect({ code: ran.code, stderr: ran.stderr }).toEqual({
          code: 1,
          stderr: 'nobody answers\nJob 1 may continue: "gnt-job watch 1" follows it again.\n',
        });
      },
    );
  });

  test("a refused job is reported in the words of the queue", async () => {
    const cluster = fakeCluster({ jobOf: () => "no room" });
    expect((await runLine(program, "one", { cluster })).stderr).toBe(
      "Unhandled Ganeti error: no room\n",
    );
  });

  test("--json prints a document, and messages go to standard error", async () => {
    const cluster = fakeCluster({ jobOf: () => ({ log: ["hello"], results: [[1, "x"]] }) });
    const { stdout, stderr } = await runLine(program, "one --json", { cluster });
    expect(JSON.parse(stdout)).toEqual({ job: 1, status: "success", results: [[1, "x"]] });
    expect(stderr).toBe(`${ctime(0)} hello\n`);
  });
});

describe("several jobs", () => {
  const answers = {
    jobOf: (_: unknown, id: number) => {
      if (id === 2) return "no room";
      return id === 3 ? { error: ["OpExecError", ["broken"]] } : {};
    },
    query: async () =>
      tableOf(
        [],
        [
          [1, "waiting"],
          [3, "running"],
        ],
      ),
  };

  test("several jobs are awaited one by one, running ones first, and failures are reported", async () => {
    const cluster = fakeCluster(answers);
    expect(await runLine(program, "many web1 web2 web3", { cluster })).toEqual({
      code: 1,
      stdout:
        "Submitted jobs 1, 3\nWaiting for job 3 for web3 ...\nWaiting for job 1 for web1 ...\n",
      stderr:
        "Failed to submit job for web2: no room\nJob 3 for web3 has failed: Failure: command execution error:\nbroken\n",
    });
  });

  test("several jobs are only listed with --submit", async () => {
    const cluster = fakeCluster(answers);
    expect(await runLine(program, "many --submit web1 web2 web3", { cluster })).toEqual({
      code: 1,
      stdout: "1: web1\n3: web3\n",
      stderr: "Failure for web2: no room\n",
    });
  });

  test("several successful jobs are a success", async () => {
    expect((await runLine(program, "many web1")).code).toBe(0);
  });
});

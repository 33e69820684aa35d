/** Refusals about jobs: plain words on a terminal, Ganeti's words for scripts. */
import { describe, expect, test } from "vitest";
import type { Cluster } from "../src/cluster.js";
import { Interrupted } from "../src/errors.js";
import { program as gntInstance } from "../src/programs/gnt-instance.js";
import { program as gntJob } from "../src/programs/gnt-job.js";
import { aTerminal } from "./a-terminal.js";
import { fakeCluster, tableOf } from "./fake-cluster.js";
import { runLine } from "./run-line.js";

const said = async (line: string, cluster: Cluster, terminal = aTerminal()) => {
  const { code, stdout, stderr } = await runLine(gntJob, line, { cluster, terminal });
  return { code, text: stdout + stderr };
};

describe("a job that does not exist, or that has ended", () => {
  const none = fakeCluster({ waitForChange: async () => "gone", job: async () => undefined });

  test.each(["watch 999", "wait 999"])(
    "%s says on a terminal that there is no job",
    async (line) => {
      const { code, text } = await said(line, none);
      expect(code).toBe(1);
      expect(text).toContain('There is no job 999; "gnt-job list" shows all jobs.\n');
      expect(text).not.toContain("Can't load job file");
    },
  );

  test.each(["info abc", "watch abc", "wait abc", "cancel abc", "archive abc", "why abc"])(
    "%s says on a terminal that this is not a number",
    async (line) => {
      const { code, text } = await said(line, none);
      expect(code).toBe(1);
      expect(text).toContain(
        "'abc' is not a job number; \"gnt-job list\" shows the numbers of all jobs.\n",
      );
      expect(text).not.toMatch(/int\(\)|parsing/);
    },
  );

  test.each([
    ["success", "Job 1 has ended already (success): there is nothing to cancel."],
    ["canceled", "Job 1 has ended already (canceled): there is nothing to cancel."],
    [undefined, 'There is no job 1; "gnt-job list" shows all jobs.'],
    ["canceling", "Job 1 not found in queue"],
    [
      "running",
      "Job 1 is running and cannot be cancelled; at most its remaining steps are left out." +
        ' "gnt-job cancel --kill --yes-do-it 1" ends it in the middle of its work.',
    ],
  ])("cancel of one whose status is %s says on a terminal: %s", async (status, says) => {
    const cluster = fakeCluster({
      cancel: async () => [false, "Job 1 not found in queue"],
      job: async () => (status === undefined ? undefined : { status }),
    });
    expect(await said("cancel 1", cluster)).toEqual({ code: 1, text: `${says}\n` });
    const { stdout } = await runLine(gntJob, "cancel 1", { cluster });
    expect(stdout).toBe("Job 1 not found in queue\n");
  });
});

describe("Ctrl-C prints the commands that the state of the job allows", () => {
  const interruptedAt = (status: string | undefined) => {
    let asked = 0;
    return async () => {
      asked += 1;
      if (status === undefined || asked > 1) throw new Interrupted();
      return { values: [status, [status], [null]], log: [] };
    };
  };

  test.each([
    [
      "running",
      'Job 1 is running and continues in the background: "gnt-job watch 1" follows it. A running job cannot be' +
        ' cancelled; "gnt-job cancel --kill --yes-do-it 1" ends it in the middle of its work.',
    ],
    [
      "waiting",
      'Job 1 has not started and stays in the queue: "gnt-job watch 1" follows it, "gnt-job why 1" says what it' +
        ' waits for, "gnt-job cancel 1" cancels it.',
    ],
    ["canceling", 'Job 1 is being cancelled: "gnt-job watch 1" follows it.'],
    [
      undefined,
      'Job 1 continues in the background: "gnt-job watch 1" follows it, "gnt-job cancel 1" cancels it unless it is running.',
    ],
  ])("%s: %s", async (status, says) => {
    for (const [program, line] of [
      [gntInstance, "startup web1"],
      [gntInstance, "remove -f web1"],
      [gntJob, "watch 1"],
    ] as const) {
      const query = async () => tableOf([], [["web1", "u"]]);
      const cluster = fakeCluster({ waitForChange: interruptedAt(status), query });
      const { code, stderr } = await runLine(program, line, { cluster });
      expect({ code, stderr }).toEqual({ code: 1, stderr: `Aborted. ${says}\n` });
    }
  });

  test("several jobs: only those that have not started can be cancelled", async () => {
    const cluster = fakeCluster({
      waitForChange: interruptedAt("running"),
      query: async (kind, names) =>
        tableOf(
          names,
          kind === "job"
            ? []
            : [
                ["web1", "web1"],
                ["web2", "web2"],
              ],
        ),
    });
    const line = "startup --force-multiple web1 web2";
    expect((await runLine(gntInstance, line, { cluster })).stderr).toBe(
      'Aborted. Jobs 1, 2 continue in the background: "gnt-job watch 1" follows the first,' +
        ' "gnt-job cancel 1 2" cancels those that have not started.\n',
    );
  });
});

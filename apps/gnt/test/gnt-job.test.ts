import type { Json } from "@ganeti-ts/protocol";
import { describe, expect, test } from "vitest";
import type { QueryTable } from "../src/cluster.js";
import { program } from "../src/programs/gnt-job.js";
import { timeText } from "../src/time-text.js";
import { fakeCluster, tableOf } from "./fake-cluster.js";
import { type Circumstances, runLine } from "./run-line.js";

const gntJob = (line: string, circumstances?: Circumstances) =>
  runLine(program, line, circumstances);

const fields = (...names: string[]): QueryTable["fields"] =>
  names.map((name) => ({
    name,
    title: name === "id" ? "ID" : name.replace(/^./, (one) => one.toUpperCase()),
    kind: name === "id" ? "number" : name === "nosuch" ? "unknown" : "other",
    doc: `About ${name}`,
  }));

const queue = (...data: QueryTable["data"]) => {
  const asked: unknown[] = [];
  const cluster = fakeCluster({
    query: async (kind, names, filter) => {
      asked.push([kind, names, filter]);
      return { fields: fields(...names), data };
    },
    queryFields: async (_, names = ["id"]) => fields(...names),
  });
  return { asked, cluster };
};

const { data: two } = tableOf(
  [],
  [
    [9, "running", ["INSTANCE_CREATE(web1)", "TEST_DELAY(1.0)"]],
    [10, null, null],
  ],
);

describe("list", () => {
  test("list shows id, status and summary", async () => {
    expect(await gntJob("list", queue(...two))).toEqual({
      code: 0,
      stderr: "",
      stdout:
        "ID Status  Summary\n 9 running INSTANCE_CREATE(web1),TEST_DELAY(1.0)\n10 -       -\n",
    });
  });

  test.each([
    ["list", null],
    ["list 9 10", ["|", ["==", "id", 9], ["==", "id", 10]]],
    ["list 'id > 9'", [">", "id", 9]],
    ["list -F opend", ["?", "opend"]],
    ["list --error", ["|", ["==", "status", "error"]]],
    ["list --running 9", ["&", ["|", ["==", "id", 9]], ["|", ["==", "status", "running"]]]],
  ])("%s asks with the filter %j", async (line, filter) => {
    const { asked, cluster } = queue();
    await gntJob(line, { cluster });
    expect(asked).toEqual([["job", ["id", "status", "summary"], filter]]);
  });

  test("-o replaces or extends the default fields, and --archived adds one", async () => {
    const { asked, cluster } = queue();
    await gntJob("list -o id,ops", { cluster });
    await gntJob("list -o +ops --archived", { cluster });
    expect(asked).toEqual([
      ["job", ["id", "ops"], null],
      ["job", ["id", "status", "summary", "ops", "archived"], null],
    ]);
  });

  test("an unknown field is reported with exit code 14", async () => {
    const { code, stderr } = await gntJob("list -o id,nosuch", queue());
    expect([code, stderr]).toEqual([14, "Warning: Queried for unknown fields nosuch\n"]);
  });

  test("invalid ids and invalid filters are refused", async () => {
    expect(await gntJob("list abc")).toEqual({
      code: 1,
      stdout: "",
      stderr:
        "Failure: prerequisites not met for this operation:\nerror type: wrong_input, error details:\nInvalid job ID passed: invalid literal for int() with base 10: 'abc'\n",
    });
    expect((await gntJob("list 'id =='")).stderr).toMatch(
      /^Error while parsing query filter: Failed to parse query filter 'id ==': /,
    );
  });

  test("list --json prints a list of objects", async () => {
    const { stdout } = await gntJob("list --json", queue(...two));
    expect(JSON.parse(stdout)).toEqual([
      { id: 9, status: "running", summary: ["INSTANCE_CREATE(web1)", "TEST_DELAY(1.0)"] },
      { id: 10, status: null, summary: null },
    ]);
  });
});

test("list-fields explains fields", async () => {
  expect((await gntJob("list-fields id nosuch", queue())).stdout).toBe(
    "Name   Type    Title  Description\nid     Number  ID     About id\nnosuch Unknown Nosuch About nosuch\n",
  );
});

describe("info", () => {
  const moment = [1_800_000_000, 5];
  const log = [
    [1, moment, "message", "hi\n"],
    [2, moment, "jqueue-test", ["a"]],
  ];
  const ops = [{ OP_ID: "OP_TEST_DELAY", duration: 1 }];
  const values: Json[] = [
    ...[9, "error", ops, [["OpExecError", ["no"]]], ["error"], [log], [moment]],
    ...[[null], [moment], moment, [1_800_000_001, 0], null],
  ];
  const [row = []] = tableOf([], [values]).data;

  test("info shows jobs with their opcodes, and names unknown ones", async () => {
    const unknown: QueryTable["data"][number] = [
      [0, 99],
      ...row.slice(1).map(() => [3, null] as const),
    ];
    const { stdout } = await gntJob("info 9 99", queue(row, unknown));
    const time = timeText(1_800_000_000, 5);
    expect(stdout).toBe(`- Job ID: 9
  Status: error
  Received:         ${time}
  Processing start: ${timeText(1_800_000_001, 0)} (delta 0.999995s)
  Processing end:   unknown (None)
  Total processing time: N/A
  Opcodes: 
    - Opcode: OP_TEST_DELAY
      Status: error
      Processing start: ${time}
      Execution start:  N/A
      Processing end:   ${time}
      Input fields: 
        OP_ID: OP_TEST_DELAY
        duration: 1
      Result: 
        - OpExecError
        - - no
      Execution log: 
        - Time: ${time}
          Content: [1, message, hi\\n]
        - Time: ${time}
          Content: [2, jqueue-test, ['a']]
- Job ID 99 not found
`);
  });

  test("info requires an id", async () => {
    expect(await gntJob("info")).toEqual({
      code: 1,
      stdout: "",
      stderr: "Error: Command info expects at least 1 argument(s)\n",
    });
  });
});

describe("cancel and change-priority", () => {
  test("cancel and change-priority apply to each named job", async () => {
    const cluster = fakeCluster({
      cancel: async (id) => (id === 9 ? [false, "Job 9 not found in queue"] : [true, "done"]),
    });
    expect(await gntJob("cancel 8 9", { cluster })).toEqual({
      code: 1,
      stdout: "done\nJob 9 not found in queue\n",
      stderr: "",
    });
    const { done } = cluster;
    await gntJob("change-priority --priority=low 8", { cluster });
    expect(done).toEqual([["changePriority", 8, 10]]);
  });

  test("cancel and change-priority ask before changing all jobs of a status", async () => {
    const asking = { ...queue(...two), typed: ["?", "n"] };
    const { code, stdout } = await gntJob("cancel --queued", asking);
    expect(code).toBe(13);
    const question = "Cancel job(s) listed above?\ny/[n]/?: ";
    expect(stdout.slice(stdout.indexOf("Cancel"))).toBe(
      `${question} y - Perform the operation\n n - Do not perform the operation\n\n${question}`,
    );
    expect(asking.cluster.done).toEqual([]);
  });

  test("--force skips the confirmation for all jobs of a status", async () => {
    for (const line of ["cancel --queued --force", "cancel --kill --yes-do-it --queued"]) {
      const { cluster } = queue(...two);
      expect((await gntJob(line, { cluster, typed: ["Y"] })).code).toBe(0);
      expect(cluster.done.map(([, id]) => id)).toEqual([9, 10]);
    }
  });

  test.each([
    ["cancel", "Either a status filter or job ID(s) must be specified and never both"],
    ["cancel --queued 9", "Either a status filter or job ID(s) must be specified and never both"],
    ["cancel --kill 9", "The --kill option must be confirmed with --yes-do-it"],
    ["cancel --queued", "No jobs with the requested status have been found"],
    ["change-priority 9", "--priority option must be given."],
  ])("%s is refused: %s", async (line, says) => {
    const { code, stderr } = await gntJob(line, queue());
    expect([code, stderr.trimEnd().split("\n").at(-1)]).toEqual([1, says]);
  });
});

describe("archive and autoarchive", () => {
  test("archive and autoarchive report jobs that were not archived", async () => {
    const cluster = fakeCluster({ archive: async (id) => id === 9 });
    expect(await gntJob("archive 9 10", { cluster })).toEqual({
      code: 1,
      stdout: "",
      stderr: "Failed to archive job with ID '10'\n",
    });
  });

  test.each([
    ["all", -1],
    ["90", 90],
    ["2m", 120],
    ["1d", 86_400],
    ["4w", 2_419_200],
  ])("the age %s is %d seconds", async (age, seconds) => {
    const cluster = fakeCluster();
    const { stdout } = await gntJob(`autoarchive ${age}`, { cluster });
    expect(stdout).toBe("Archived 0 jobs, 0 unchecked left\n");
    expect(cluster.done).toEqual([["autoArchive", seconds]]);
  });

  test.each([
    ["all-nosuch", "Invalid time specification 'all-nosuc'"],
    ["x", "Invalid time specification 'x'"],
    ["w", "Invalid time specification (only suffix passed)"],
    ["''", "Empty time specification passed"],
  ])("an age of %s is refused: %s", async (age, says) => {
    expect((await gntJob(`autoarchive ${age}`)).stderr).toContain(says);
  });
});

describe("wait, watch and why", () => {
  const ended = (values: readonly ["success" | "error", readonly ["OpExecError", ["no"]] | null]) =>
    fakeCluster({
      waitForChange: async () => ({
        values: [values[0], [values[0]], [values[1]]],
        log: [{ serial: 1, time: [1_800_000_000, 0], type: "message", message: "hello" }],
      }),
    });

  test("wait prints nothing and ends with code 0 when the job has succeeded", async () => {
    expect(await gntJob("wait 9", { cluster: ended(["success", null]) })).toEqual({
      code: 0,
      stdout: "",
      stderr: "",
    });
  });

  test("watch prints messages and the failure of the job", async () => {
    const cluster = ended(["error", ["OpExecError", ["no"]]]);
    const { code, stdout, stderr } = await gntJob("watch 9", { cluster });
    expect(stdout).toMatch(/^Output from job 9 follows\n-{25}\n.* hello\n$/);
    expect([code, stderr]).toEqual([1, "Job 9 failed: Failure: command execution error:\nno\n"]);
  });

  test("watch of an unknown job reports that it does not exist", async () => {
    expect((await gntJob("watch 99")).stderr).toBe(
      "Job 99 failed: Error checking job status: Can't load job file\n",
    );
    expect((await gntJob("watch abc")).stderr).toBe(
      "Job abc failed: Unhandled protocol error while talking to the master daemon:\nFailed to parse request: Parsing WaitForJobChange message: parsing job id: cannot parse string 'abc'\n",
    );
  });

  test("why prints every cause, or says that a job has none or does not exist", async () => {
    const why = [{ kind: "lock", text: "waits for node/n1" }];
    const held = fakeCluster({ why: async () => why });
    expect((await gntJob("why 9", { cluster: held })).stdout).toBe("Job 9 waits for node/n1\n");
    const free = fakeCluster({ why: async () => [] });
    expect((await gntJob("why 9", { cluster: free })).stdout).toBe(
      "Nothing keeps job 9 from running\n",
    );
    const over = fakeCluster({
      why: async () => undefined,
      job: async () => ({ status: "success" }),
    });
    expect((await gntJob("why 9", { cluster: over })).stdout).toBe("Job 9 has ended: success\n");
    const none = fakeCluster({ why: async () => undefined, job: async () => undefined });
    expect((await gntJob("why 9", { cluster: none })).code).toBe(1);
  });
});

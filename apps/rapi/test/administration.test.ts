import type { ClusterObjects } from "@ganeti-ts/cluster";
import { describe, expect, test } from "vitest";
import { createServer } from "../src/server.js";
import { aWorld, faultText } from "./world.js";

/** Requests over the local socket. */
async function anOwner(...settings: Parameters<typeof aWorld>) {
  const world = await aWorld(...settings);
  const app = createServer(world);
  const ask = async (method: string, path: string, body?: unknown) => {
    const response = await app.request(
      `/ganeti-ts/1${path}`,
      { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }), headers },
      { local: true },
    );
    return [response.status, await response.json()];
  };
  return { world, ask };
}

const headers = { "content-type": "application/json" };
const delay = (more = {}) => ({ OP_ID: "OP_TEST_DELAY", duration: 1, ...more });

describe("jobs of any opcodes", () => {
  test("several are accepted at once, and one that is refused does not hold up the others", async () => {
    const { ask } = await anOwner();
    const jobs = [
      [delay(), delay()],
      [delay({ nosuch: 1 })],
      [delay({ depends: [[-2, ["success"]]] })],
    ];
    const problem = "Object OpTestDelay doesn't support the parameter 'nosuch'";
    expect(await ask("POST", "/jobs", { jobs })).toEqual([
      200,
      [
        { id: 1 },
        { refused: problem, error: ["OpPrereqError", [problem, "wrong_input"]] },
        { id: 3 },
      ],
    ]);
    const [, job] = await ask("GET", "/../../2/jobs/3");
    expect(job).toMatchObject({ ops: [{ depends: [[1, ["success"]]] }] });
  });

  test("a job of no opcodes is refused in the queue's words", async () => {
    const { ask } = await anOwner();
    expect(await ask("POST", "/jobs", { jobs: [[]] })).toMatchObject([
      200,
      [{ refused: "A job needs at least one opcode" }],
    ]);
  });

  test.each([undefined, {}, { jobs: 1 }, { jobs: [delay()] }, { jobs: [[{}]] }])(
    "a body that holds no jobs is refused: %j",
    async (body) => {
      const { ask } = await anOwner();
      expect((await ask("POST", "/jobs", body))[0]).toBe(400);
    },
  );

  test("writers of the remote API may not submit jobs of any opcodes, because Ganeti gives no such right", async () => {
    const { ask } = await aWorld();
    for (const user of ["jack:abc123", "rita:look"]) {
      const answer = await ask("POST", "/ganeti-ts/1/jobs", { user, body: { jobs: [[delay()]] } });
      expect(faultText(answer)).toMatch(/^40[13] /);
    }
  });
});

test("the priority of a waiting job can be changed, that of an unknown job cannot", async () => {
  const { ask } = await anOwner();
  await ask("POST", "/jobs", { jobs: [[delay()]] });
  expect(await ask("PUT", "/jobs/1/priority", { priority: -10 })).toEqual([
    200,
    [true, "Priorities of pending opcodes for job 1 have been changed to -10"],
  ]);
  expect(await ask("PUT", "/jobs/9/priority", { priority: 0 })).toEqual([
    200,
    [false, "Job 9 not found in queue"],
  ]);
  expect((await ask("PUT", "/jobs/1/priority", { priority: 5 }))[0]).toBe(400);
  expect((await ask("PUT", "/jobs/1/priority", { priority: "high" }))[0]).toBe(400);
});

test("a job that has ended goes to the archive, alone or by its age", async () => {
  const { ask } = await anOwner();
  await ask("POST", "/jobs", { jobs: [[delay()], [delay()], [delay()]] });
  expect(await ask("PUT", "/jobs/1/archive")).toEqual([200, false]);
  for (const id of [1, 2]) await ask("PUT", `/jobs/${id}/kill`);
  expect(await ask("PUT", "/jobs/1/archive")).toEqual([200, true]);
  expect(await ask("PUT", "/queue/autoarchive", { age: 3600 })).toEqual([200, [0, 0]]);
  expect(await ask("PUT", "/queue/autoarchive", { age: -1 })).toEqual([200, [1, 0]]);
  expect((await ask("PUT", "/queue/autoarchive", { age: -2 }))[0]).toBe(400);
});

test("a running job is killed", async () => {
  const { ask, world } = await anOwner({ executor: { run: () => new Promise(() => {}) } });
  await ask("POST", "/jobs", { jobs: [[delay()]] });
  await world.queue.waitForChange(1 as never, {
    fields: ["status"],
    previousValues: ["queued"],
    previousSerial: null,
    timeoutMs: 5000,
  });
  expect(await ask("PUT", "/jobs/1/kill")).toEqual([200, [true, "SIGKILL send to the process"]]);
  expect((await ask("GET", "/../../2/jobs/1"))[1]).toMatchObject({ status: "error" });
});

test("a drained queue accepts no jobs until it is undrained", async () => {
  const { ask } = await anOwner();
  expect(await ask("GET", "/queue")).toEqual([200, { drained: false }]);
  expect(await ask("PUT", "/queue", { drained: true })).toEqual([200, { drained: true }]);
  expect(await ask("GET", "/queue")).toEqual([200, { drained: true }]);
  expect(await ask("POST", "/jobs", { jobs: [[delay()]] })).toMatchObject([
    503,
    { message: "Queue drained" },
  ]);
  await ask("PUT", "/queue", { drained: false });
  expect(await ask("POST", "/jobs", { jobs: [[delay()]] })).toEqual([200, [{ id: 1 }]]);
});

test("the watcher's pause is set, shown and ended", async () => {
  let until: number | null = null;
  const { ask } = await anOwner({
    objects: {
      watcherPause: async () => until,
      pauseWatcher: async (given) => {
        until = given;
        return { ok: true, value: null };
      },
    },
  });
  await ask("PUT", "/watcher", { pause_until: 1_800_000_000 });
  expect(await ask("GET", "/watcher")).toEqual([200, { pause_until: 1_800_000_000 }]);
  await ask("PUT", "/watcher", { pause_until: null });
  expect(await ask("GET", "/watcher")).toEqual([200, { pause_until: null }]);
  expect((await ask("PUT", "/watcher", { pause_until: "now" }))[0]).toBe(400);
});

describe("operations on nodes without a job", () => {
  const objects: Partial<ClusterObjects> = {
    runOnNode: async (node, command) =>
      node === "node1"
        ? { ok: true, value: { output: `${command}!\n`, exitCode: 3 } }
        : node === "node2"
          ? { ok: false, offline: false, message: "node2 is dead" }
          : undefined,
    fileToNode: async () => ({ ok: true, value: null }),
  };

  test("a command line runs, and the answer has its exit code", async () => {
    const { ask } = await anOwner({ objects });
    expect(await ask("POST", "/nodes/node1/command", { command: "ls" })).toEqual([
      200,
      { output: "ls!\n", exit_code: 3 },
    ]);
    expect(await ask("POST", "/nodes/node2/command", { command: "ls" })).toMatchObject([
      502,
      { message: "node2 is dead" },
    ]);
    expect((await ask("POST", "/nodes/node3/command", { command: "ls" }))[0]).toBe(404);
    expect((await ask("POST", "/nodes/node1/command", { command: "" }))[0]).toBe(400);
  });

  test("a file is written if its path is absolute", async () => {
    const { ask } = await anOwner({ objects });
    const file = { path: "/etc/motd", content: "hello\n", mode: 0o644 };
    expect(await ask("PUT", "/nodes/node1/file", file)).toEqual([200, null]);
    expect((await ask("PUT", "/nodes/node1/file", { ...file, path: "motd" }))[0]).toBe(400);
  });

  test("writers of the remote API may neither run commands nor write files", async () => {
    const { ask } = await aWorld({ objects });
    const body = { command: "ls" };
    const answer = await ask("POST", "/ganeti-ts/1/nodes/node1/command", { body });
    expect(answer.status).toBe(403);
  });
});

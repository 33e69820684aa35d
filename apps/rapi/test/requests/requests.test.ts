// Requests to resources of Ganeti, and the jobs or the refusals that they lead to.
import { isJsonObject, type Json, type JsonObject } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { aWorld, faultText } from "../world.js";
import { requestsIn } from "./requests-in.js";

const { ask } = await aWorld();

/** The opcodes of the job that a request submitted, without common parameters. */
async function submitted(method: string, path: string, body?: Json): Promise<JsonObject[]> {
  const answer = await ask(method, path, { body });
  if (answer.status !== 200) throw new Error(faultText(answer));
  const { body: job } = await ask("GET", `/2/jobs/${answer.text.trim()}`);
  if (!isJsonObject(job) || !Array.isArray(job.ops)) throw new Error("no job");
  return job.ops as JsonObject[];
}

test.each(requestsIn("opcodes.txt"))(
  "$request submits one opcode with its source in the trail",
  async ({ method, path, body, answer }) => {
    const [, source, parameters = ""] = /^(\w+): (.*)$/.exec(answer) ?? [];
    const [opcode, ...more] = await submitted(method, path, body);
    expect(opcode).toMatchObject(JSON.parse(parameters));
    expect(more).toEqual([]);
    const reasons = opcode?.reason as Json[][];
    expect(reasons.at(-2)?.slice(0, 2)).toEqual([`gnt:library:rlib2:${source}`, ""]);
  },
);

test.each(requestsIn("refusals.txt"))(
  "$request is refused: $answer",
  async ({ method, path, body, answer }) => {
    expect(faultText(await ask(method, path, { body }))).toBe(
      `400 ${answer}: Bad request syntax or unsupported method`,
    );
  },
);

test("parameters that only the command line may set are refused", async () => {
  const answer = await ask("PUT", "/2/modify", { body: { compression_tools: [] } });
  expect(faultText(answer)).toMatch(/^403 The parameter compression_tools cannot be set via RAPI/);
});

test.each([
  [{ drained: true }, "drained, cannot submit"],
  [{ sizeMax: 0 }, "full, needs archiving"],
])("a queue with %j accepts no jobs, and the answer names the reason", async (limits, reason) => {
  const world = await aWorld();
  await world.queue.change(limits);
  expect(faultText(await world.ask("PUT", "/2/redistribute-config"))).toContain(
    `503 Job queue is ${reason}: `,
  );
});

test("the trail has the user first, then the given reason, with times in nanoseconds", async () => {
  const [opcode] = await submitted("PUT", "/2/instances/web1/startup?reason=because");
  expect(opcode?.reason).toEqual([
    ["ganeti-ts:user:jack", "", expect.any(BigInt)],
    ["gnt:user", "because", expect.any(BigInt)],
    ["gnt:library:rlib2:instances_name_startup", "", expect.any(BigInt)],
    // The queue's own.
    ["gnt:opcode:instance_startup", expect.any(String), expect.any(BigInt)],
  ]);
});

test("common parameters may be in a body, and dependencies even in an ignored one", async () => {
  const [shutdown] = await submitted("PUT", "/2/instances/web1/shutdown", {
    comment: "later",
    priority: 10,
    depends: [[1, ["success"]]],
  });
  expect(shutdown).toMatchObject({ comment: "later", priority: 10, depends: [[1, ["success"]]] });
  const [startup] = await submitted("PUT", "/2/instances/web1/startup", {
    depends: [[1, ["success"]]],
  });
  expect(startup).toMatchObject({ depends: [[1, ["success"]]] });
});

test("a reinstallation is a job of two or three opcodes", async () => {
  const ids = async (path: string, body?: Json) =>
    (await submitted("POST", `/2/instances/web1/reinstall${path}`, body)).map(({ OP_ID }) => OP_ID);
  const all = ["OP_INSTANCE_SHUTDOWN", "OP_INSTANCE_REINSTALL", "OP_INSTANCE_STARTUP"];
  expect(await ids("")).toEqual(all);
  expect(await ids("?reason=x", { os: "noop", start: false })).toEqual(all.slice(0, 2));
  expect(await ids("?os=noop&nostartup=1")).toEqual(all.slice(0, 2));
});

test("secrets of a job are redacted in answers", async () => {
  const [opcode] = await submitted("POST", "/2/instances", {
    ...{ name: "web1", mode: "create", disk_template: "plain", disks: [], nics: [] },
    __version__: 1,
    osparams: { a: "open" },
    osparams_private: { b: "one" },
    osparams_secret: { c: "two" },
  });
  expect(opcode).toMatchObject({
    osparams: { a: "open" },
    osparams_private: { b: "<redacted>" },
    osparams_secret: { c: "<redacted>" },
  });
  expect((await ask("GET", "/2/jobs?bulk=1")).text).not.toMatch(/"(one|two)"/);
});

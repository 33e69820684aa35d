import { existsSync, lstatSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import {
  createEchoServer,
  createLuxiServer,
  GanetiError,
  type LuxiHandler,
  type LuxiServerOptions,
  RequestFault,
} from "@ganeti-ts/luxi";
import { expect, onTestFinished, test } from "vitest";
import { watchedHandler } from "./handlers.js";
import { RawClient, request, socketPath } from "./sockets.js";

/** A server on a path of its own. */
async function listening(
  overrides: Partial<LuxiHandler> = {},
  options: Partial<LuxiServerOptions> = {},
) {
  const path = socketPath();
  const { calls, handler } = watchedHandler(overrides);
  const server = createLuxiServer({ handler, ...options });
  onTestFinished(() => server.close({ graceMs: 0 }));
  await server.listen({ path });
  return { path, server, calls, connect: () => new RawClient(path) };
}

/** For conditions that come about sooner or later, on a machine of any load. */
const patient = { timeout: 300_000, interval: 5 };

const names = (...list: string[]) => request("QueryConfigValues", [list]);
const answered = (...list: string[]) => JSON.stringify({ success: true, result: list });
const malformed =
  '{"success":false,"result":"Failed to parse request: parsing top-level JSON message: Invalid JSON: a JSON text a serialized object or array at the top level."}';

test("pipelined requests are answered in order, however they are cut", async () => {
  const { connect } = await listening();
  const client = connect();
  for (const character of names("a") + names("b")) client.write(character);
  client.write(names("c") + names("d"));
  for (const name of ["a", "b", "c", "d"]) expect(await client.answer()).toBe(answered(name));
});

test("a request is not begun before the one before it is answered", async () => {
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const { connect, calls } = await listening({
    setDrainFlag: async ({ drained }) => {
      await gate;
      return drained;
    },
  });
  const [waiting, other] = [connect(), connect()];
  waiting.write(request("SetDrainFlag", [true]));
  await expect.poll(() => calls, patient).toEqual(["setDrainFlag"]);
  waiting.write(names("after"));
  // The server read the earlier requests before these.
  for (let turn = 0; turn < 3; turn++) {
    other.write(names("meanwhile"));
    expect(await other.answer()).toBe(answered("meanwhile"));
  }
  expect(calls).toEqual(["setDrainFlag", ...Array(3).fill("queryConfigValues")]);
  open();
  expect(await waiting.answer()).toBe('{"success":true,"result":true}');
  expect(await waiting.answer()).toBe(answered("after"));
});

test("a malformed request is answered, then the connection is closed; others are not affected", async () => {
  const { connect } = await listening();
  const [bad, good] = [connect(), connect()];
  good.write(names("a"));
  await good.answer();
  bad.write("hello\x03");
  expect(await bad.answer()).toBe(malformed);
  expect(await bad.answer()).toBeUndefined();
  good.write(names("b"));
  expect(await good.answer()).toBe(answered("b"));
});

test("complete requests after a malformed one are refused, not carried out, and answered", async () => {
  const { connect, calls } = await listening();
  const client = connect();
  client.write(`hello\x03${request("SubmitJob", [[]])}${names("a")}`);
  expect(await client.answer()).toBe(malformed);
  for (let count = 0; count < 2; count++) {
    expect(await client.answer()).toContain('["GenericError",["Not carried out: ');
  }
  expect(await client.answer()).toBeUndefined();
  expect(calls).toEqual([]);
});

test("an error of the call is answered with its class, and the connection stays open", async () => {
  const { connect } = await listening();
  const client = connect();
  client.write(request("QueryTags", ["node", "n€"]) + names("a"));
  expect(await client.answer()).toBe(
    '{"success":false,"result":["OpPrereqError",["Node name n\\u20ac not found","unknown_entity"]]}',
  );
  expect(await client.answer()).toBe(answered("a"));
});

test.each([
  {
    why: "a handler's RequestFault is a string, and closes",
    thrown: new RequestFault("no such thing"),
    result: "Failed to parse request: no such thing",
    closes: true,
  },
  {
    why: "a class that no client knows becomes a GenericError",
    thrown: new GanetiError("FooError", ["text"]),
    result: ["GenericError", ["text"]],
    closes: false,
  },
  {
    why: "values that do not fit their class become a GenericError",
    thrown: new GanetiError("OpPrereqError", ["text"]),
    result: ["GenericError", ["text"]],
    closes: false,
  },
  {
    why: "a class that only Python knows is kept",
    thrown: new GanetiError("JobCanceled", ["text"]),
    result: ["JobCanceled", ["text"]],
    closes: false,
  },
  {
    why: "QueryFilterParseError, on which Python dies, becomes a GenericError",
    thrown: new GanetiError("QueryFilterParseError", ["text"]),
    result: ["GenericError", ["text"]],
    closes: false,
  },
  {
    why: "a bug is answered as an internal error",
    thrown: new RangeError("too far"),
    result: ["GenericError", ["Internal error: too far"]],
    closes: false,
  },
])("$why", async ({ thrown, result, closes }) => {
  const faults: unknown[] = [];
  const { connect } = await listening(
    {
      archiveJob: () => {
        throw thrown;
      },
    },
    { onFault: (error, method) => faults.push([method, error]) },
  );
  const client = connect();
  client.write(request("ArchiveJob", [1]));
  expect(JSON.parse((await client.answer()) ?? "")).toEqual({ success: false, result });
  client.write(names("a"));
  expect(await client.answer()).toBe(closes ? undefined : answered("a"));
  expect(faults).toEqual(thrown instanceof RangeError ? [["ArchiveJob", thrown]] : []);
});

test("a result that is not JSON is answered as an internal error", async () => {
  const { connect } = await listening({ setWatcherPause: () => Number.NaN });
  const client = connect();
  client.write(request("SetWatcherPause", [1]));
  expect(await client.answer()).toContain("Internal error");
});

test("answers are ASCII, whole numbers beyond 2^53 exact, floats with their digits", async () => {
  const { connect } = await listening({
    queryNodes: () => [["é\u007f😀", 1795349226901598976n, 1795348346.884642, 0.01]],
  });
  const client = connect();
  client.write(request("QueryNodes", [[], ["name"], false]));
  expect(await client.answer()).toBe(
    '{"success":true,"result":[["\\u00e9\\u007f\\ud83d\\ude00",1795349226901598976,1795348346.884642,0.01]]}',
  );
});

test("a wait ends at once when its client goes away, and its slot is free", async () => {
  let gone = () => {};
  const aborted = new Promise<void>((resolve) => {
    gone = resolve;
  });
  const { connect, server } = await listening({
    waitForJobChange: (_, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          gone();
          resolve("nochange");
        });
      }),
  });
  const client = connect();
  client.write(request("WaitForJobChange", [1, ["status"], null, null, 60]) + names("x"));
  client.socket.end();
  await aborted;
  // A half-closed connection still gets its answers.
  expect(await client.answer()).toBe('{"success":true,"result":"nochange"}');
  expect(await client.answer()).toBe(answered("x"));
  await client.closed();
  client.socket.destroy();
  await expect.poll(() => server.connectionCount(), patient).toBe(0);
});

test("a message that is too long is answered and its rest is thrown away", async () => {
  const { connect, calls } = await listening({}, { limits: { requestBytesMax: 1000 } });
  const client = connect();
  client.write(names("a"));
  expect(await client.answer()).toBe(answered("a"));
  client.write(`{"method":"SubmitJob","args":["${"x".repeat(1_000_000)}`);
  expect(await client.answer()).toContain("the message is longer than 1000 bytes");
  client.write(`"]}\x03${request("SubmitJob", [[]])}`);
  expect(await client.answer()).toBeUndefined();
  expect(calls).toEqual(["queryConfigValues"]);
});

test.each([
  { why: "an idle connection", limits: { idleMs: 30 }, sent: "" },
  { why: "a request that pauses", limits: { idleMs: 30 }, sent: '{"method"' },
])("$why is closed after the idle time, without an answer", async ({ limits, sent }) => {
  const { connect } = await listening({}, { limits });
  const client = connect();
  if (sent) client.write(sent);
  expect(await client.answer()).toBeUndefined();
});

test("a request that trickles in is cut off after the time for one request", async () => {
  const { connect } = await listening({}, { limits: { requestMs: 100 } });
  const client = connect();
  const trickle = setInterval(() => client.write(" "), 5);
  onTestFinished(() => clearInterval(trickle));
  expect(await client.answer()).toBeUndefined();
});

test("a client that does not read its answer is disconnected", async () => {
  const row = Array(500_000).fill("0123456789");
  const { connect, server } = await listening(
    { queryNodes: () => [row] },
    { limits: { sendMs: 50 } },
  );
  const client = connect();
  client.socket.pause();
  client.write(request("QueryNodes", [[], ["name"], false]));
  await expect.poll(() => server.connectionCount(), patient).toBe(1);
  await expect.poll(() => server.connectionCount(), patient).toBe(0);
});

test("connections beyond the limit wait unread for a free place, further ones are closed", async () => {
  const { connect, server } = await listening({}, { limits: { connectionsMax: 1, waitingMax: 1 } });
  const [first, second] = [connect(), connect()];
  first.write(names("first"));
  expect(await first.answer()).toBe(answered("first"));
  second.write(names("second"));
  await expect.poll(() => server.connectionCount(), patient).toBe(2);
  const third = connect();
  third.write(names("third"));
  expect(await third.answer()).toBeUndefined();
  first.socket.end();
  expect(await second.answer()).toBe(answered("second"));
});

test("closing lets calls in progress end and answers them, and ends waits", async () => {
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const { connect, server, path } = await listening({
    setDrainFlag: async ({ drained }) => {
      await gate;
      return drained;
    },
    waitForJobChange: (_, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => resolve([["running"], []]));
      }),
  });
  const [slow, waiting, idle] = [connect(), connect(), connect()];
  slow.write(request("SetDrainFlag", [true]));
  waiting.write(request("WaitForJobChange", [1, ["status"], null, null, 60]));
  idle.write(names("a"));
  await idle.answer();
  await expect.poll(() => server.connectionCount(), patient).toBe(3);
  const closed = server.close();
  expect(await waiting.answer()).toBe('{"success":true,"result":[["running"],[]]}');
  expect(await idle.answer()).toBeUndefined();
  open();
  expect(await slow.answer()).toBe('{"success":true,"result":true}');
  for (const client of [slow, waiting, idle]) client.socket.destroy();
  await closed;
  expect(existsSync(path)).toBe(false);
});

test("the socket is the owner's only, unless another mode is given", async () => {
  const { path } = await listening();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const other = socketPath();
  const server = createLuxiServer({ handler: watchedHandler().handler });
  onTestFinished(() => server.close());
  await server.listen({ path: other, mode: 0o660, group: process.getgid?.() ?? 0 });
  expect(statSync(other).mode & 0o777).toBe(0o660);
});

test("a second server on the same path is refused, a dead server's file is replaced", async () => {
  const { path, connect } = await listening();
  const second = createLuxiServer({ handler: watchedHandler().handler });
  await expect(second.listen({ path })).rejects.toMatchObject({ code: "EADDRINUSE" });
  const client = connect();
  client.write(names("a"));
  expect(await client.answer()).toBe(answered("a"));

  const stale = await staleSocket();
  onTestFinished(() => second.close());
  await second.listen({ path: stale });
  expect(lstatSync(stale).isSocket()).toBe(true);
});

test("a path that is not a socket is left alone, one that is too long names both lengths", async () => {
  const server = createLuxiServer({ handler: watchedHandler().handler });
  const path = socketPath();
  writeFileSync(path, "precious");
  await expect(server.listen({ path })).rejects.toMatchObject({ code: "EEXIST" });
  await expect(server.listen({ path: `/${"x".repeat(119)}` })).rejects.toThrow(
    /has 120 bytes, at most 107/,
  );
});

test("the echo server answers what the watcher sends, and refuses all else", async () => {
  const path = socketPath();
  const server = createEchoServer();
  onTestFinished(() => server.close({ graceMs: 0 }));
  await server.listen({ path });
  const client = new RawClient(path);
  client.write(request("echo", ["ganeti watcher probe 7"]));
  expect(await client.answer()).toBe('{"success":true,"result":"ganeti watcher probe 7"}');
  client.write(request("SetMaintdRoundDelay", [1]));
  expect(await client.answer()).toContain("Failed to parse request");
  expect(await client.answer()).toBeUndefined();
});

/** The file of a socket on which no process listens any more. */
async function staleSocket(): Promise<string> {
  const { linkSync } = await import("node:fs");
  const [path, kept] = [socketPath(), socketPath()];
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(path, resolve);
  });
  linkSync(path, kept);
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return kept;
}

import { createServer, type Server, type Socket } from "node:net";
import {
  createLuxiClient,
  createLuxiServer,
  GanetiError,
  type LuxiClientOptions,
  type LuxiHandler,
  LuxiProtocolError,
} from "@ganeti-ts/luxi";
import { JobId } from "@ganeti-ts/protocol";
import { expect, onTestFinished, test } from "vitest";
import { watchedHandler } from "./handlers.js";
import { socketPath } from "./sockets.js";

/** Short waits, for failures that are meant to happen; none of them bounds a call that succeeds. */
const times = { connectAgainMs: 5, repeatMs: 1 };

function clientOf(path: string, options: Partial<LuxiClientOptions> = {}) {
  const client = createLuxiClient({ path, times, ...options });
  onTestFinished(() => client.close());
  return client;
}

async function served(overrides: Partial<LuxiHandler> = {}) {
  const path = socketPath();
  const watched = watchedHandler(overrides);
  const server = createLuxiServer({ handler: watched.handler });
  onTestFinished(() => server.close({ graceMs: 0 }));
  await server.listen({ path });
  return { path, server, calls: watched.calls };
}

/** A server of raw bytes: `behave` gets each connection with its number, from 1. */
async function rawServer(behave: (socket: Socket, number: number) => void) {
  const path = socketPath();
  let count = 0;
  const server: Server = createServer((socket) => {
    socket.on("error", () => {});
    onTestFinished(() => {
      socket.destroy();
    });
    behave(socket, ++count);
  });
  onTestFinished(() => {
    server.close();
  });
  await new Promise<void>((resolve) => {
    server.listen(path, resolve);
  });
  return { path, connections: () => count };
}

const answering = (text: string) => (socket: Socket) => {
  socket.on("data", () => socket.write(`${text}\x03`));
};

test("client and server understand each other, with names, errors and exact numbers", async () => {
  const reason = [["gnt:user", "wärmer", 1795349226901598976n]] as const;
  const seen: unknown[] = [];
  const { path } = await served({
    submitJob: ({ opcodes }) => {
      seen.push(opcodes);
      return JobId.parse(7);
    },
    queryNodes: ({ names, fields }) => [[names.join(), fields.join(), 2n ** 60n]],
  });
  const client = clientOf(path);
  const opcode = { OP_ID: "OP_TEST_DELAY", duration: 1, reason } as const;
  expect(await client.submitJob({ opcodes: [opcode] })).toBe(7);
  expect(seen).toEqual([[opcode]]);
  const nodes = client.queryNodes({ names: ["n1"], fields: ["name"], lock: false });
  expect(await nodes).toEqual([["n1", "name", 2n ** 60n]]);
  await expect(client.queryTags({ kind: "node", name: "n9" })).rejects.toMatchObject({
    code: "OpPrereqError",
    values: ["Node name n9 not found", "unknown_entity"],
  });
  await expect(client.pickupJob({ id: JobId.parse(1) })).rejects.toThrow(/internal use only/);
});

test("calls of one client are made one after the other, in order, on one connection", async () => {
  const { path, server } = await served();
  const client = clientOf(path);
  const calls = ["a", "b", "c"].map((name) => client.queryConfigValues({ names: [name] }));
  expect(await Promise.all(calls)).toEqual([["a"], ["b"], ["c"]]);
  expect(server.connectionCount()).toBe(1);
});

test("a request whose connection breaks before the answer is sent again", async () => {
  const { path, connections } = await rawServer((socket, number) => {
    socket.on("data", () => {
      if (number < 3) socket.destroy();
      else socket.write('{"success":true,"result":["c"]}\x03');
    });
  });
  expect(await clientOf(path).queryConfigValues({ names: ["x"] })).toEqual(["c"]);
  expect(connections()).toBe(3);
});

test.each([
  { attempts: undefined, sent: 15 },
  { attempts: 1, sent: 1 },
])("with attempts $attempts, a request is sent $sent times at most", async ({ attempts, sent }) => {
  const { path, connections } = await rawServer((socket) => {
    socket.on("data", () => socket.destroy());
  });
  const client = clientOf(path, attempts === undefined ? {} : { attempts });
  await expect(client.setDrainFlag({ drained: true })).rejects.toMatchObject({
    name: "LuxiConnectionError",
    step: "exchange",
  });
  expect(connections()).toBe(sent);
});

test.each([
  { why: "no byte within the time of silence", limit: { silenceMs: 30 }, text: /within 30 ms/ },
  { why: "no whole answer within its time", limit: { answerMs: 40 }, text: /within 40 ms/ },
])("a call fails and is not repeated after $why", async ({ limit, text }) => {
  const { path, connections } = await rawServer((socket) => {
    const trickle = setInterval(() => "answerMs" in limit && socket.write(" "), 2);
    socket.on("close", () => clearInterval(trickle));
  });
  const client = clientOf(path, { times: { ...times, ...limit } });
  const call = client.queryConfigValues({ names: ["x"] });
  await expect(call).rejects.toMatchObject({ code: "ETIMEDOUT" });
  await expect(call).rejects.toThrow(text);
  expect(connections()).toBe(1);
});

test("a client waits for a server that is not there yet, if this machine is the master", async () => {
  const path = socketPath();
  let asked = 0;
  const early = clientOf(path, {
    isMaster: () => {
      asked++;
      return true;
    },
  }).queryConfigValues({ names: ["x"] });
  await expect.poll(() => asked, { timeout: 300_000, interval: 5 }).toBeGreaterThan(1);
  const server = createLuxiServer({ handler: watchedHandler().handler });
  onTestFinished(() => server.close({ graceMs: 0 }));
  await server.listen({ path });
  expect(await early).toEqual(["x"]);
});

test("a client fails at once if this machine is not the master, or when the time is over", async () => {
  const path = socketPath();
  const other = clientOf(path, { isMaster: () => false });
  const missing = { code: "ENOENT", step: "connect" };
  await expect(other.queryClusterInfo({})).rejects.toMatchObject(missing);
  const patient = clientOf(path, { times: { connectMs: 20, connectAgainMs: 5 } });
  await expect(patient.queryClusterInfo({})).rejects.toMatchObject(missing);
});

test.each([
  {
    why: "text that is no JSON",
    answer: "hello",
    error: LuxiProtocolError,
    text: /Invalid response/,
  },
  {
    why: "a result of another type",
    answer: '{"success":true,"result":{"a":1}}',
    error: LuxiProtocolError,
    text: /Invalid answer to QueryConfigValues: result/,
  },
  {
    why: "a string about the request",
    answer: '{"success":false,"result":"Failed to parse request: x"}',
    error: LuxiProtocolError,
    text: /^Failed to parse request: x$/,
  },
  {
    why: "an unknown class of error",
    answer: '{"success":false,"result":["FooError",["m"]]}',
    error: LuxiProtocolError,
    text: /FooError/,
  },
  {
    why: "another version",
    answer: '{"success":true,"result":[],"version":3010000}',
    error: GanetiError,
    text: /RPC version mismatch, client 3000000, response 3010000/,
  },
])("$why is an error of its own kind", async ({ answer, error, text }) => {
  const { path } = await rawServer(answering(answer));
  const call = clientOf(path).queryConfigValues({ names: [] });
  await expect(call).rejects.toThrow(text);
  await expect(call).rejects.toBeInstanceOf(error);
});

test("a version that is equal or null is accepted", async () => {
  for (const version of ["3000000", "null"]) {
    const { path } = await rawServer(
      answering(`{"success":true,"result":["c"],"version":${version}}`),
    );
    expect(await clientOf(path).queryConfigValues({ names: ["x"] })).toEqual(["c"]);
  }
});

test("an aborted call fails, and the next one gets its own answer", async () => {
  const { path } = await served({
    waitForJobChange: (_, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => resolve("nochange"));
      }),
  });
  const client = clientOf(path);
  const abort = new AbortController();
  const wait = client.waitForJobChange(
    { id: JobId.parse(1), fields: ["status"], previous: null, serial: null, seconds: 60 },
    { signal: abort.signal },
  );
  const next = client.queryConfigValues({ names: ["next"] });
  abort.abort();
  await expect(wait).rejects.toMatchObject({ code: "ECANCELED" });
  expect(await next).toEqual(["next"]);
});

test("a closed client refuses calls, also those that were waiting", async () => {
  const { path } = await served({ setDrainFlag: () => new Promise(() => {}) });
  const client = clientOf(path);
  const calls = [client.setDrainFlag({ drained: true }), client.setDrainFlag({ drained: false })];
  client.close();
  for (const call of [...calls, client.queryClusterInfo({})]) {
    await expect(call).rejects.toMatchObject({ code: "ECANCELED" });
  }
});

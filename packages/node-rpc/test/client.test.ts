// Transport failures, limits and metrics of the client, each tested with a server of its own.
import type { RequestListener } from "node:http";
import { Agent, createServer, request } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Server } from "node:net";
import { answered, type NodeBackend, sparingOfflineNodes } from "@ganeti-ts/node-calls";
import { afterEach, describe, expect, test } from "vitest";
import type { NodeRpcClientOptions, NodeRpcServer } from "../src/index.js";
import { caller, clientOf, digestOf, loopbackNode, pems, serve, versioned } from "./loopback.js";

const open: (Server | NodeRpcServer)[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

async function listening<S extends Server>(server: S): Promise<number> {
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** Port of a daemon with the cluster's certificate and this request listener. */
const daemon = (listener: RequestListener, pem = pems.server) =>
  listening(createServer({ cert: pem, key: pem }, listener));

/** Answer to the call `version` of a daemon on this port. */
async function said(port: number, options: Partial<NodeRpcClientOptions> = {}) {
  const client = await clientOf(port, options);
  const answer = await client.call("A", "version", {}, caller);
  return answer.ok ? answer.value : answer.message;
}

/** A server behind which calls wait until they are released. */
async function gate(options = {}) {
  const held: (() => void)[] = [];
  const nodes = {
    introduce: async () => {},
    call: () =>
      new Promise((resolve) => held.push(() => resolve(answered({ protocol: 3_000_000 })))),
  } as unknown as NodeBackend;
  const server = await serve(nodes, "A", options);
  open.push(server);
  const arrived = async (count: number) => {
    while (held.length < count) await new Promise(setImmediate);
  };
  return { port: server.port, held, arrived };
}

describe("Answers of a daemon", () => {
  test.each([
    { body: "[true, 3000000]\n", expected: { protocol: 3_000_000 } },
    { body: '[false, "no such thing"]\n', expected: "no such thing" },
    { body: '[false, ""]', expected: "No error information" },
    { body: "[false, null]", expected: "No error information" },
    { body: "{}", expected: "RPC layer error: invalid result type (<class 'dict'>)" },
    { body: "[1, 2, 3]", expected: "RPC layer error: invalid result length (3), expected 2" },
    { body: '[true, "x"]', expected: /^RPC layer error: version: value at protocol: / },
    { body: "not JSON", expected: /^Error while decoding JSON from HTTP response: / },
  ])("the body $body is read as Ganeti's master reads it", async ({ body, expected }) => {
    const port = await daemon((_, response) => response.end(body));
    const answer = await said(port);
    if (expected instanceof RegExp) expect(answer).toMatch(expected);
    else expect(answer).toEqual(expected);
  });

  test("the body of an answer with another status is the message of the failure", async () => {
    const port = await daemon((_, response) => response.writeHead(404).end("No such call"));
    expect(await said(port)).toBe("No such call");
  });

  test("a request is one POST with an ASCII body and its length", async () => {
    const seen: { method?: string; url?: string; length?: string; body: string }[] = [];
    const port = await daemon(async (request, response) => {
      let body = "";
      for await (const part of request) body += (part as Buffer).toString("latin1");
      const { method, url, headers } = request;
      seen.push({ method, url, length: headers["content-length"], body } as never);
      response.end("[true, null]");
    });
    const client = await clientOf(port);
    await client.call("A", "bridges_exist", { bridges: ["brä"] }, caller);
    const body = '[["br\\u00e4"]]';
    expect(seen).toEqual([{ method: "POST", url: "/bridges_exist", length: "14", body }]);
  });
});

test("a single side of a mirror, left to be removed, is sent without the address of a peer", async () => {
  let body = "";
  const port = await daemon(async (request, response) => {
    for await (const part of request) body += String(part);
    response.end("[true, null]");
  });
  const client = await clientOf(port);
  const mirror = { uuid: "u", dev_type: "drbd" as const, size: 0, params: {}, children: [] };
  const removed = async (...logical_id: (string | number | null)[]) => {
    body = "";
    const disk = { ...mirror, logical_id };
    return client.call("A", "blockdev_remove", { disk }, caller);
  };
  expect(await removed("A", null, null, 3, null, null)).toMatchObject({ ok: true });
  const [{ logical_id, dynamic_params: ends }] = JSON.parse(body);
  expect(logical_id).toEqual(["A", null, null, 3, null, null]);
  // Ganeti's daemons require all four keys.
  expect(ends).toEqual({
    ...{ "local-ip": expect.stringMatching(/^[\d.]+$/), "remote-ip": "" },
    ...{ "local-minor": 3, "remote-minor": 3 },
  });
  expect(await removed("A", "B", 11_000, 3, 4, null)).toMatchObject({
    message: "Node B of a mirror was not introduced",
  });
});

describe("A call without an answer", () => {
  test("a port without a listener is named in the error", async () => {
    const server = createTcpServer();
    const port = await listening(server);
    await new Promise((resolve) => server.close(resolve));
    open.splice(0);
    const text = new RegExp(
      `^Error 7: Failed to connect to 127.0.0.1 port ${port} after \\d+ ms: Couldn't connect to server$`,
    );
    expect(await said(port)).toMatch(text);
  });

  test("a stopped daemon fails the call at the limit of the handshake", async () => {
    const port = await listening(createTcpServer((socket) => socket.on("error", () => {})));
    expect(await said(port, { handshakeMs: 50 })).toBe("Error 28: SSL connection timeout");
  });

  test("a daemon that does not answer fails the call at the limit of its class", async () => {
    const port = await daemon(() => {});
    const text = /^Error 28: Operation timed out after \d+ milliseconds with 0 bytes received$/;
    expect(await said(port, { timeoutsMs: { urgent: 300 } })).toMatch(text);
  });

  test("a connection that is closed without an answer is an empty reply", async () => {
    const port = await daemon((request) => request.socket.destroy());
    expect(await said(port)).toBe("Error 52: Empty reply from server");
  });

  test("a truncated answer is a failure", async () => {
    const port = await daemon((request, response) => {
      response.writeHead(200, { "Content-Length": 100 });
      response.write("[true,", () => request.socket.destroy());
    });
    const text = "Error 18: transfer closed with outstanding read data remaining";
    expect(await said(port)).toBe(text);
  });

  test("an answer above the limit is not read to its end", async () => {
    const port = await daemon((_, response) => response.end(`[true, "${"x".repeat(1000)}"]`));
    const text = "Error 63: Exceeded the maximum allowed file size (500)";
    expect(await said(port, { answerBytesMax: 500 })).toBe(text);
  });

  test("a daemon of another cluster is not called", async () => {
    const calls: unknown[] = [];
    const port = await daemon((request) => calls.push(request), pems.foreign);
    const text = await said(port);
    expect(text).toMatch(/^Error 60: SSL certificate problem: /);
    expect(text).toContain(`(the node's certificate: CN=`);
    expect(text).toContain(`, ${digestOf(pems.foreign)}, valid until 21`);
    expect(calls).toEqual([]);
  });

  test("an expired certificate of the cluster is named with its date", async () => {
    const calls: unknown[] = [];
    const port = await daemon((request) => calls.push(request), pems.expired);
    const text = await said(port, { clusterCertificate: pems.expired });
    expect(text).toContain("Error 60: SSL certificate problem: CERT_HAS_EXPIRED (the node's");
    expect(text).toContain(`, ${digestOf(pems.expired)}, valid until 2021-01-02)`);
    expect(calls).toEqual([]);
  });

  test("a refusal by the node names the certificate of this client", async () => {
    // The alert with which Ganeti's daemon ends a handshake: fatal, unknown CA.
    const alert = Buffer.from([0x15, 3, 3, 0, 2, 2, 48]);
    const port = await listening(
      createTcpServer((socket) =>
        socket.on("error", () => {}).once("data", () => socket.end(alert)),
      ),
    );
    const text = await said(port);
    expect(text).toMatch(/^Error 35: .*alert unknown ca/);
    expect(text).toContain("(the node refuses the certificate of this client: CN=");
    expect(text).toContain(`, ${digestOf(pems.client)}, valid until 21`);
  });

  test("a cancelled call ends at once, and the node's work goes on", async () => {
    const { port, held, arrived } = await gate();
    const client = await clientOf(port);
    const controller = new AbortController();
    const call = client.call("A", "version", {}, { lease: "1:1", signal: controller.signal });
    await arrived(1);
    controller.abort();
    const message = "Error 42: Operation was aborted by an application callback";
    expect(await call).toEqual({ ok: false, offline: false, message });
    expect(held).toHaveLength(1);
  });
});

describe("The client", () => {
  test("no more calls than allowed run on one node at a time; the others follow in order", async () => {
    const { port, held, arrived } = await gate();
    const client = await clientOf(port, { callsPerNodeMax: 2 });
    const calls = [1, 2, 3].map(() => client.call("A", "version", {}, caller));
    await arrived(2);
    expect(client.metrics()).toMatchObject({ running: 2, waiting: 1 });
    held[0]?.();
    await arrived(3);
    expect(client.metrics()).toMatchObject({ running: 2, waiting: 0 });
    for (const release of held.slice(1)) release();
    expect((await Promise.all(calls)).every(({ ok }) => ok)).toBe(true);
    expect(client.metrics()).toMatchObject({ running: 0, waiting: 0 });
  });

  test("a node whose slots are taken does not delay calls to other nodes", async () => {
    const { port, held, arrived } = await gate();
    const client = await clientOf(port, { callsPerNodeMax: 1 });
    await client.introduce(loopbackNode("B"));
    const calls = ["A", "A", "B"].map((node) => client.call(node, "version", {}, caller));
    // One call has arrived at each node; the second one to A waits.
    await arrived(2);
    expect(client.metrics()).toMatchObject({ running: 2, waiting: 1 });
    for (const release of held.splice(0)) release();
    await arrived(1);
    for (const release of held) release();
    expect((await Promise.all(calls)).every(({ ok }) => ok)).toBe(true);
  });

  test("calls to nodes marked offline fail without a connection", async () => {
    let connections = 0;
    const port = await daemon((_, response) => {
      connections++;
      response.end("[true, 3000000]");
    });
    const nodes = sparingOfflineNodes(await clientOf(port), () => true);
    const answer = await nodes.call("A", "instance_list", { hypervisors: [] }, caller);
    expect(answer).toEqual({ ok: false, offline: true, message: "Node is marked offline" });
    expect(connections).toBe(0);
  });

  test("a call that is cancelled while it waits is never sent and leaves the queue", async () => {
    const { port, held, arrived } = await gate();
    const client = await clientOf(port, { callsPerNodeMax: 1 });
    const first = client.call("A", "version", {}, caller);
    await arrived(1);
    const controller = new AbortController();
    const second = client.call("A", "version", {}, { lease: "1:1", signal: controller.signal });
    controller.abort();
    expect(await second).toMatchObject({
      ok: false,
      message: expect.stringMatching(/before it was sent/),
    });
    held[0]?.();
    expect((await first).ok).toBe(true);
    expect(held).toHaveLength(1);
    expect(client.metrics()).toMatchObject({ running: 0, waiting: 0 });
  });

  test("metrics count calls, failures, bytes and time by call", async () => {
    let isFailing = false;
    const port = await daemon((_, response) => response.end(isFailing ? "[false,1]" : "[true,1]"));
    const client = await clientOf(port);
    await client.call("A", "version", {}, caller);
    isFailing = true;
    await client.call("A", "version", {}, caller);
    const figures = client.metrics().calls.get("version");
    expect(figures).toMatchObject({ calls: 2, failures: 1, bytesSent: 4, bytesReceived: 17 });
    expect(figures?.millisecondsTotal).toBeGreaterThan(figures?.millisecondsMax ?? Infinity);
    expect([...client.metrics().calls.keys()]).toEqual(["version"]);
  });

  test("a bug in the caller's arguments is thrown and does not count as a failed call", async () => {
    const client = await clientOf(await daemon((_, response) => response.end("[true, []]")));
    await expect(client.call("A", "blockdev_find", {} as never, caller)).rejects.toThrow(TypeError);
  });

  test("a call to an unknown node fails without a connection", async () => {
    const client = await clientOf(1);
    const unknown = await client.call("B", "version", {}, caller);
    expect(unknown).toMatchObject({ message: "Node B was not introduced" });
  });
});

/** Several errors are possible, because the connection may end at different stages. */
const refusal = /^Error (35|52|56): /;

describe("The server", () => {
  async function running(options = {}) {
    const server = await serve(versioned, "A", options);
    open.push(server);
    return server.port;
  }

  test("a certificate is accepted by its digest, which is checked at each connection", async () => {
    let digests = [digestOf(pems.other)];
    const port = await running({ acceptedDigests: () => digests });
    expect(await said(port)).toMatch(refusal);
    digests = [digestOf(pems.client)];
    expect(await said(port)).toEqual({ protocol: 3_000_000 });
    const own = { clientCertificate: pems.other, clientKey: pems.other };
    expect(await said(port, own)).toMatch(refusal);
  });

  test("bodies above the limit are not read to their end", async () => {
    const port = await running({ bodyBytesMax: 1 });
    expect(await said(port)).toMatch(refusal);
  });

  test("arguments of another form are a failure with the text of Ganeti's daemon", async () => {
    const client = await clientOf(await running());
    const wrong = { bridges: 7 } as never;
    expect(await client.call("A", "bridges_exist", wrong, caller)).toMatchObject({
      message: expect.stringMatching(
        /^Error while executing backend function: arguments at bridges: /,
      ),
    });
  });

  test.each([
    { why: "throws", call: () => Promise.reject(new Error("no such luck")), text: "no such luck" },
    {
      why: "gives a value that has no JSON text",
      call: () => Promise.resolve(answered({ protocol: Number.NaN })),
      text: "NaN cannot be written as JSON",
    },
  ])("a back end that $why is a failed call, and the server goes on", async ({ call, text }) => {
    const server = await serve({ ...versioned, call } as unknown as NodeBackend, "A");
    open.push(server);
    const message = `Error while executing backend function: ${text}`;
    expect([await said(server.port), await said(server.port)]).toEqual([message, message]);
  });
});

describe("A connection that its caller keeps", () => {
  const agent = () =>
    new Agent({
      keepAlive: true,
      maxSockets: 1,
      ...{ ca: pems.server, cert: pems.client, key: pems.client },
      checkServerIdentity: () => undefined,
    });

  /** Status of a call on the agent's connection, and the local port of the connection. */
  const call = (port: number, by: Agent) =>
    new Promise<{ status: number | undefined; from: number | undefined }>((resolve, reject) => {
      const path = "/version";
      const sent = request({ port, method: "POST", path, agent: by }, (response) => {
        const from = response.socket.localPort;
        response.resume().on("end", () => resolve({ status: response.statusCode, from }));
      });
      sent.on("error", reject).end("[]");
    });

  test("serves several calls until the caller loses its permission", async () => {
    let digests = [digestOf(pems.client)];
    const server = await serve(versioned, "A", { acceptedDigests: () => digests });
    open.push(server);
    const by = agent();
    const first = await call(server.port, by);
    expect(first.status).toBe(200);
    expect(await call(server.port, by)).toEqual(first);
    digests = [];
    await expect(call(server.port, by)).rejects.toThrow(/hang up|ECONNRESET/);
    by.destroy();
  });
});

import { JobId } from "@ganeti-ts/protocol";
import { describe, expect, test } from "vitest";
import { openRapi, type Rapi, type RapiOptions } from "../src/index.js";
import { certificate, type FakeRapi, failure, fakeRapi, json, serving } from "./fake-rapi.js";
import { aGroup, aJob, aNode, anInfo, anInstance } from "./things.js";

/** A client of a server that gives everything the same answer. */
async function answering(
  answer: unknown,
  { status = 200, ...options }: Partial<RapiOptions> & { status?: number } = {},
): Promise<{ rapi: Rapi; server: FakeRapi }> {
  const server = await serving((_, response) => json(response, answer, status));
  return { server, rapi: openRapi({ url: server.url, retryDelayMs: 1, ...options }) };
}

const id = (number: number) => JobId.parse(number);

describe("reading", () => {
  test.each<[string, string, unknown, (rapi: Rapi) => Promise<unknown>]>([
    ["all groups", "/2/groups?bulk=1", [aGroup], (rapi) => rapi.groups.list()],
    ["one group", "/2/groups/default", aGroup, (rapi) => rapi.groups.get("default")],
    ["all nodes", "/2/nodes?bulk=1", [aNode], (rapi) => rapi.nodes.list()],
    ["one node", "/2/nodes/node1.example.com", aNode, (rapi) => rapi.nodes.get(aNode.name)],
    ["all instances", "/2/instances?bulk=1", [anInstance], (rapi) => rapi.instances.list()],
    ["one instance", "/2/instances/web1", anInstance, (rapi) => rapi.instances.get("web1")],
    ["the cluster", "/2/info", anInfo, (rapi) => rapi.info()],
    ["all jobs", "/2/jobs?bulk=1", [aJob], (rapi) => rapi.jobs.list()],
    ["one job", "/2/jobs/12", aJob, (rapi) => rapi.jobs.get(id(12))],
    ["the cluster's tags", "/2/tags", ["a", "b:c"], (rapi) => rapi.tags.list()],
    ["a node's tags", "/2/nodes/n1/tags", [], (rapi) => rapi.nodes.tags("n1").list()],
  ])("%s is GET %s", async (_, url, answer, ask) => {
    const { rapi, server } = await answering(answer);
    expect(await ask(rapi)).toEqual(answer);
    expect(server.asked).toEqual([
      { method: "GET", url, body: undefined, authorization: undefined },
    ]);
  });

  test("names are encoded", async () => {
    const { rapi, server } = await answering(anInstance);
    await rapi.instances.get("a/b?c");
    expect(server.asked[0]?.url).toBe("/2/instances/a%2Fb%3Fc");
  });

  test("unknown keys are dropped, a missing key is refused with its path", async () => {
    const { rapi } = await answering([{ ...aNode, news: 1 }]);
    expect(await rapi.nodes.list()).toEqual([aNode]);
    const { pinst_cnt: _, ...lacking } = aNode;
    const other = await answering([lacking]);
    const error = await failure(other.rapi.nodes.list());
    expect(error.code).toBe("unexpected");
    expect(error.message).toMatch(/^GET http:.*\/2\/nodes\?bulk=1: 0 > pinst_cnt: /);
  });

  test("an answer that is not JSON is refused", async () => {
    const server = await serving((_, response) => response.end("<html>"));
    const error = await failure(openRapi({ url: server.url }).info());
    expect([error.code, error.message]).toEqual([
      "unexpected",
      `GET ${server.url}/2/info: the answer is not JSON`,
    ]);
  });

  test("a body can be had as it comes", async () => {
    const { rapi, server } = await answering(["x"]);
    const body = await rapi.read("/2/nodes", { query: { bulk: 1 } });
    expect(Buffer.from(body).toString()).toBe('["x"]\n');
    expect(server.asked[0]?.url).toBe("/2/nodes?bulk=1");
  });
});

describe("changing", () => {
  test.each<[string, string, unknown, (rapi: Rapi) => Promise<unknown>]>([
    ["PUT", "/2/instances/web1/migrate", {}, (rapi) => rapi.instances.migrate("web1")],
    [
      "PUT",
      "/2/instances/web1/migrate?reason=too+full",
      { allow_failover: true, comment: "c", priority: 10, depends: [[11, ["success"]]] },
      (rapi) =>
        rapi.instances.migrate(
          "web1",
          { allow_failover: true },
          { reason: "too full", comment: "c", priority: 10, depends: [[11, ["success"]]] },
        ),
    ],
    [
      "PUT",
      "/2/instances/web1/failover",
      { target_node: "n2" },
      (rapi) => rapi.instances.failover("web1", { target_node: "n2" }),
    ],
    [
      "POST",
      "/2/instances/web1/replace-disks",
      { mode: "replace_new_secondary", remote_node: "n3" },
      (rapi) =>
        rapi.instances.replaceDisks("web1", { mode: "replace_new_secondary", remote_node: "n3" }),
    ],
    [
      "PUT",
      "/2/instances/web1/tags?tag=a&tag=b%3Ac&reason=r",
      undefined,
      (rapi) => rapi.instances.tags("web1").add(["a", "b:c"], { reason: "r" }),
    ],
    [
      "DELETE",
      "/2/groups/default/tags?tag=a&dry-run=1",
      undefined,
      (rapi) => rapi.groups.tags("default").remove(["a"], { dryRun: true }),
    ],
    [
      "POST",
      "/2/nodes/n1/modify",
      { offline: true, auto_promote: false },
      (rapi) => rapi.nodes.modify("n1", { offline: true, auto_promote: false }),
    ],
    [
      "PUT",
      "/2/nodes/n1/role?force=1",
      "drained",
      (rapi) => rapi.nodes.setRole("n1", "drained", { force: true }),
    ],
  ])("%s %s gives a job", async (method, url, body, change) => {
    const { rapi, server } = await answering(42);
    expect(await change(rapi)).toBe(42);
    const [asked] = server.asked;
    expect(asked).toMatchObject({ method, url });
    expect(asked?.body).toEqual(body);
    expect(asked?.contentType).toBe(body === undefined ? undefined : "application/json");
  });

  test("canceling tells whether it worked", async () => {
    const { rapi, server } = await answering([false, "Job 5 is no longer waiting in the queue"]);
    expect(await rapi.jobs.cancel(id(5))).toEqual([
      false,
      "Job 5 is no longer waiting in the queue",
    ]);
    expect(server.asked[0]).toMatchObject({ method: "DELETE", url: "/2/jobs/5" });
  });
});

describe("jobs", () => {
  test("a job is waited for until it has ended", async () => {
    const statuses = ["queued", "running", "error"];
    const server = await serving((_, response) =>
      json(response, { ...aJob, status: statuses.shift() ?? "success" }),
    );
    const job = await openRapi({ url: server.url }).jobs.wait(id(12), { intervalMs: 1 });
    expect([job?.status, server.asked.length]).toEqual(["error", 3]);
  });

  test.each([
    ["by fields that are all null", 200, { id: null, status: null, ops: null, summary: null }],
    ["by a status", 404, { code: 404, message: "Not Found", explain: "" }],
  ])("an unknown job, told %s, is undefined", async (_, status, answer) => {
    const { rapi } = await answering(answer, { status });
    expect(await rapi.jobs.get(id(99))).toBeUndefined();
    expect(await rapi.jobs.wait(id(99))).toBeUndefined();
  });

  test("waiting stops with the signal", async () => {
    const { rapi } = await answering({ ...aJob, status: "running" });
    const signal = AbortSignal.timeout(20);
    expect((await failure(rapi.jobs.wait(id(12), { intervalMs: 5, signal }))).code).toBe("aborted");
  });
});

describe("credentials of the client", () => {
  test.each<[string, (url: string) => RapiOptions, string | undefined]>([
    ["nobody", (url) => ({ url }), undefined],
    ["given by name", (url) => ({ url, user: "jack", password: "a:b" }), "jack:a:b"],
    ["in the URL", (url) => ({ url: url.replace("//", "//j%40x:p%2Fw@") }), "j@x:p/w"],
    [
      "given by name and in the URL",
      (url) => ({ url: url.replace("//", "//x:y@"), user: "jack", password: "z" }),
      "jack:z",
    ],
  ])("%s", async (_, options, credentials) => {
    const server = await serving((_, response) => json(response, []));
    await openRapi(options(server.url)).tags.list();
    const encoded = credentials && `Basic ${Buffer.from(credentials).toString("base64")}`;
    expect(server.asked[0]?.authorization).toBe(encoded);
  });

  test("a password is not in errors", async () => {
    const { rapi } = await answering(
      { code: 401, message: "Unauthorized", explain: "no" },
      {
        status: 401,
        user: "jack",
        password: "secret",
      },
    );
    const error = await failure(rapi.info());
    expect(error).toMatchObject({ code: "refused", status: 401 });
    expect(error.message).toMatch(/^GET http:\S*\/2\/info: 401 Unauthorized: no$/);
    expect(error.message).not.toContain("secret");
  });
});

describe("certificates", () => {
  test("an unknown certificate is refused, unless it is trusted or checks are disabled", async () => {
    const { url } = await serving((_, response) => json(response, []), { secure: true });
    const error = await failure(openRapi({ url, retriesMax: 0 }).tags.list());
    expect([error.code, error.phase]).toEqual(["tls", "connect"]);
    expect(await openRapi({ url, verifyCertificate: false }).tags.list()).toEqual([]);
    // Known, but that of another host.
    const known = await failure(openRapi({ url, ca: certificate }).tags.list());
    expect(known.message).toContain("altnames");
  });
});

describe("failures", () => {
  test("the server's message is reported unescaped", async () => {
    const { rapi } = await answering(
      { code: 400, message: "Can&#x27;t set &#x27;x&#x27; role &amp; so", explain: "Bad request" },
      { status: 400 },
    );
    expect((await failure(rapi.nodes.setRole("n", "regular"))).message).toMatch(
      /^PUT http:\S+: 400 Can't set 'x' role & so: Bad request$/,
    );
  });

  test("a call to a host without a server is repeated, even a submission", async () => {
    const { url, close } = await fakeRapi(() => {});
    await close();
    const started = performance.now();
    const error = await failure(openRapi({ url, retryDelayMs: 20 }).instances.migrate("web1"));
    expect(error.code).toBe("unreachable");
    expect(performance.now() - started).toBeGreaterThan(50);
  });

  test("reading is tried again when the connection breaks, submitting never is", async () => {
    let left = 2;
    const server = await serving((_, response, request) => {
      if (left-- > 0) request.socket.destroy();
      else json(response, []);
    });
    const rapi = openRapi({ url: server.url, retryDelayMs: 1 });
    expect(await rapi.tags.list()).toEqual([]);
    expect(server.asked.length).toBe(3);
    left = 1;
    const error = await failure(rapi.tags.add(["a"]));
    expect([error.code, error.phase, server.asked.length]).toEqual(["broken", "answer", 4]);
  });

  test("an answer that is cut off is broken", async () => {
    const server = await serving((_, response, request) => {
      response.writeHead(200, { "content-length": 100 });
      response.write("[");
      setTimeout(() => request.socket.destroy(), 10);
    });
    const error = await failure(openRapi({ url: server.url, retriesMax: 0 }).tags.list());
    expect([error.code, error.phase]).toEqual(["broken", "body"]);
  });

  test("a server that says nothing is given up, and so is one that never connects", async () => {
    const silent = await serving(() => {});
    const error = await failure(openRapi({ url: silent.url, timeoutMs: 30 }).tags.list());
    expect([error.code, error.phase]).toEqual(["timeout", "answer"]);
    // Plain HTTP behind an https URL: the handshake never comes to an end.
    const { createServer } = await import("node:net");
    const mute = createServer(() => {});
    await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
    const { port } = mute.address() as { port: number };
    const url = `https://127.0.0.1:${port}`;
    const connecting = await failure(openRapi({ url, connectTimeoutMs: 30 }).tags.list());
    expect([connecting.code, connecting.phase]).toEqual(["timeout", "connect"]);
    mute.close();
  });

  test("the caller's signals stop a call, and the client's all calls", async () => {
    const { url } = await serving(() => {});
    const one = failure(openRapi({ url }).info({ signal: AbortSignal.timeout(20) }));
    const all = failure(openRapi({ url, signal: AbortSignal.timeout(20) }).groups.list());
    const before = failure(openRapi({ url }).info({ signal: AbortSignal.abort() }));
    for (const error of await Promise.all([one, all, before])) expect(error.code).toBe("aborted");
  });

  test.each(["nonsense", "ftp://host/", "http://"])("%s is no server", async (url) => {
    await expect(async () => await openRapi({ url }).info()).rejects.toMatchObject({
      code: "invalid_url",
    });
  });

  test("a name without an address is unresolved", async () => {
    const rapi = openRapi({ url: "http://no-such-host.invalid:5080", retryDelayMs: 1 });
    expect((await failure(rapi.info())).code).toBe("unresolved");
  });
});

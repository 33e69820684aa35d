import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RapiError } from "@ganeti-ts/rapi-client/transport";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GanetiError } from "../src/errors.js";
import type { Machine } from "../src/machine.js";
import { common } from "../src/options/shared.js";
import { parse } from "../src/parsing/option-values.js";
import { openConnection } from "../src/remote/connect.js";
import { failureOfCall } from "../src/remote/faults.js";
import { RemoteCluster } from "../src/remote/remote-cluster.js";

interface Asked {
  readonly line: string;
  readonly body: string;
  readonly authorization: string | undefined;
}

/** Answers by method and path: a value, or a status and a message. */
let answers: Record<string, unknown> = {};
const asked: Asked[] = [];
const folder = mkdtempSync(join(tmpdir(), "gnt-remote-"));
const socketPath = join(folder, "rapi.sock");
let servers: readonly [Server, Server];

const fault = (code: number, message: string) => ({ fault: { code, message, explain: "x" } });

beforeAll(async () => {
  const make = (where: string | number) =>
    new Promise<Server>((resolve) => {
      const server = createServer(async (request, response) => {
        let body = "";
        for await (const part of request) body += part;
        const line = `${request.method} ${request.url}`;
        asked.push({ line, body, authorization: request.headers.authorization });
        const answer = answers[line] as { fault?: { code: number } } | string | undefined;
        const refusal = typeof answer === "object" ? answer?.fault : undefined;
        response.statusCode = refusal?.code ?? (answer === undefined ? 501 : 200);
        response.end(typeof answer === "string" ? answer : JSON.stringify(refusal ?? answer ?? {}));
      });
      const done = () => resolve(server);
      if (typeof where === "string") server.listen(where, done);
      else server.listen(where, "127.0.0.1", done);
    });
  servers = [await make(socketPath), await make(0)];
});
afterAll(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true });
});

const local = (given: Record<string, unknown> = {}) => {
  answers = given;
  asked.length = 0;
  return new RemoteCluster({ url: "http://localhost", socketPath, retriesMax: 0 });
};

const url = () => `http://127.0.0.1:${(servers[1].address() as AddressInfo).port}`;

const failure = async (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => "no failure",
    (error) => error,
  );

describe("queries", () => {
  test("queries send fields and filter, and keep whole numbers exact", async () => {
    const field = { name: "id", title: "ID", kind: "number", doc: "Job ID" };
    const cluster = local({
      "PUT /2/query/job": `{"fields":[${JSON.stringify(field)}],"data":[[[0,1795210046614350001]]]}`,
    });
    expect(await cluster.query("job", ["id"], ["==", "id", 9])).toEqual({
      fields: [field],
      data: [[[0, 1_795_210_046_614_350_001n]]],
    });
    expect(asked[0]?.body).toBe('{"fields":["id"],"qfilter":["==","id",9]}');
  });

  test.each([
    [404, "Node name x not found", ["OpPrereqError", ["Node name x not found", "unknown_entity"]]],
    [500, "Can&#x27;t find field", ["ParameterError", ["Can't find field"]]],
    [502, "Failed to parse request", ["ProtocolError", ["Failed to parse request"]]],
    [503, "Queue drained", ["GenericError", ["Queue drained"]]],
  ])("refused with %d are %j", async (code, message, [className, args]) => {
    const error = await failure(
      local({ "PUT /2/query/node": fault(code, message) }).query("node", [], null),
    );
    expect(error).toBeInstanceOf(GanetiError);
    expect(error).toMatchObject({ className, args });
  });

  test.each(["not JSON", "[]", '{"fields":[{}],"data":[]}', '{"fields":[],"data":[[1]]}'])(
    "answered by %s are a failure of the connection",
    async (answer) => {
      const error = await failure(local({ "PUT /2/query/node": answer }).query("node", [], null));
      expect(error).toMatchObject({ name: "ConnectionFailure" });
    },
  );
});

describe("jobs", () => {
  test("jobs are submitted in one request, and refusals keep their positions", async () => {
    const refused = { refused: "no", error: ["OpPrereqError", ["no", "wrong_input"]] };
    const cluster = local({ "POST /ganeti-ts/1/jobs": [{ id: 7 }, refused] });
    const reason = [["gnt:user", "x", 1_795_210_046_614_350_001n]] as const;
    expect(await cluster.submit([[{ OP_ID: "A", reason }], []])).toEqual([{ id: 7 }, refused]);
    expect(asked[0]?.body).toBe(
      '{"jobs":[[{"OP_ID":"A","reason":[["gnt:user","x",1795210046614350001]]}],[]]}',
    );
  });

  test("jobs refused by a full or drained queue are reported in Ganeti's words", async () => {
    const submit = (message: string) =>
      failure(local({ "POST /ganeti-ts/1/jobs": fault(503, message) }).submit([[]]));
    expect(await submit("Job queue is full, needs archiving")).toMatchObject({
      className: "JobQueueFull",
    });
    expect(await submit("Queue drained")).toMatchObject({ className: "GenericError" });
  });

  test("a wait sends the last seen values", async () => {
    const cluster = local({
      "GET /2/jobs/9/wait": { job_info: ["running"], log_entries: [[3, [1, 2], "message", "hi"]] },
    });
    expect(await cluster.waitForChange(9, ["status"], { values: ["queued"], serial: 2 })).toEqual({
      values: ["running"],
      log: [{ serial: 3, time: [1, 2], type: "message", message: "hi" }],
    });
    expect(JSON.parse(asked[0]?.body ?? "")).toEqual({
      fields: ["status"],
      previous_job_info: ["queued"],
      previous_log_serial: 2,
    });
  });

  test("a wait distinguishes unchanged from vanished jobs", async () => {
    const seen = { values: null, serial: null };
    const wait = (answer: unknown) =>
      local({ "GET /2/jobs/9/wait": answer }).waitForChange(9, ["status"], seen);
    expect(await wait("null")).toBe("nothing");
    expect(await wait(fault(404, "Not Found"))).toBe("gone");
    // Words of a real Ganeti.
    expect(await wait(fault(500, "Can&#x27;t load job file"))).toBe("gone");
    expect(await local({ "GET /2/jobs/9": { status: null } }).job(9)).toBeUndefined();
    expect(await local({ "GET /ganeti-ts/1/jobs/9/why": fault(404, "x") }).why(9)).toBeUndefined();
  });

  test("queue administration uses our own resources", async () => {
    const claim = {
      ...{ uuid: "a", kind: "space", job: 7, job_status: null, since: 12.5 },
      ...{ nodes: ["node1"], instance: null, devices: 1 },
    };
    const cluster = local({
      "DELETE /2/jobs/9": [true, "done"],
      "PUT /ganeti-ts/1/jobs/9/kill": [true, "killed"],
      "PUT /ganeti-ts/1/jobs/9/priority": [false, "no"],
      "PUT /ganeti-ts/1/jobs/9/archive": "true",
      "PUT /ganeti-ts/1/queue/autoarchive": [3, 4],
      "GET /ganeti-ts/1/queue": { drained: true },
      "GET /ganeti-ts/1/watcher": { pause_until: 12 },
      "GET /ganeti-ts/1/claims": [claim],
    });
    expect([
      await cluster.cancel(9),
      await cluster.cancel(9, true),
      await cluster.changePriority(9, -10),
      await cluster.archive(9),
      await cluster.autoArchive(60),
      await cluster.isDrained(),
      await cluster.watcherPause(),
      await cluster.claims(),
    ]).toEqual([[true, "done"], [true, "killed"], [false, "no"], true, [3, 4], true, 12, [claim]]);
    expect(asked.flatMap(({ body }) => (body === "" ? [] : body))).toEqual([
      ...['{"priority":-10}', '{"age":60}'],
    ]);
  });
});

test("without a server the error names the socket and the next steps", async () => {
  const socketPath = join(folder, "no", "rapi.sock");
  const nobody = new RemoteCluster({ url: "http://localhost", socketPath, retriesMax: 0 });
  const { message } = (await failure(nobody.info())) as Error;
  expect(message.split("\n")).toEqual([
    "Cannot communicate with the master daemon.",
    "Is the process running and listening for connections?",
    `There is no socket ${socketPath}: create a cluster with "gnt-cluster init --simulated NAME",` +
      ` start the server with "ganeti-rapi --data-dir=${join(folder, "no")}" if there is one,` +
      " or name another cluster with --data-dir or --url.",
  ]);
  mkdirSync(join(folder, "made"));
  writeFileSync(join(folder, "made", "cluster.db"), "");
  const made = join(folder, "made", "rapi.sock");
  const stopped = new RemoteCluster({ url: "http://localhost", socketPath: made, retriesMax: 0 });
  expect(((await failure(stopped.info())) as Error).message).toContain(
    `\nThere is no socket ${made}: start the server with "ganeti-rapi --data-dir=${join(folder, "made")}", or name`,
  );
});

test.each([
  [401, "No name and password were given, or not the right ones: --user NAME or $GANETI_RAPI_USER"],
  [403, "The user needs more rights on that server (in its file rapi/users: write, and"],
])("what a person lacks is told with how to have it: %i", (status, words) => {
  const refused = new RapiError("refused", "no", facts(status), { says: "no" });
  const { message } = failureOfCall(refused, undefined) as Error;
  expect(message.startsWith(`It seems you don't have permissions for this: no\n${words}`)).toBe(
    true,
  );
});

test("an untrusted certificate is reported with the options to trust it", async () => {
  const { message } = failureOfCall(
    new RapiError("tls", "self-signed certificate", facts()),
    undefined,
  ) as Error;
  expect(message).toBe(
    "Cannot communicate with the server: GET https://c:5080/2/info: self-signed certificate\n" +
      "A cluster's own certificate is trusted with --ca FILE; --insecure trusts any.",
  );
});

const facts = (status?: number) => ({
  method: "GET",
  url: "https://c:5080/2/info",
  ...(status === undefined ? {} : { status }),
});

describe("choice of the server", () => {
  const open = async (line: string, env: Record<string, string> = {}) => {
    const { options } = parse(line.split(" ").filter(Boolean), common);
    const machine = {
      env,
      uid: 1000,
      signal: new AbortController().signal,
      read: (file: string) => (file === "secret" ? "from a file\nmore\n" : "no"),
    } as Machine;
    return openConnection(options, machine);
  };

  test("the socket of the data directory is the default", async () => {
    expect((await open("", { HOME: "/home/x" })).dataDirectory).toBe(
      "/home/x/.local/state/ganeti-ts",
    );
    expect((await open("", { XDG_STATE_HOME: "/s" })).dataDirectory).toBe("/s/ganeti-ts");
    answers = { "GET /2/info": { name: "c" } };
    writeFileSync(join(folder, "here"), "");
    const { cluster } = await open(`--data-dir ${folder}`, { GANETI_TS_DATA: "/nowhere" });
    expect(await cluster.info()).toEqual({ name: "c" });
  });

  test.each([
    ["--user jack --password-file secret", {}, "jack:from a file"],
    ["", { GANETI_RAPI_USER: "jack", GANETI_RAPI_PASSWORD: "env" }, "jack:env"],
    ["--user other", { GANETI_RAPI_USER: "jack", GANETI_RAPI_PASSWORD: "env" }, "other:env"],
  ])("%j with %j is who one is: %s", async (line, env, credentials) => {
    answers = { "GET /2/info": {} };
    asked.length = 0;
    const { cluster } = await open(`--url ${url()} ${line}`, env);
    await cluster.info();
    expect(asked[0]?.authorization).toBe(`Basic ${btoa(credentials)}`);
  });

  test("a server of Ganeti is detected on first use, and missing features are reported", async () => {
    answers = {
      "GET /2/features": ["node-evac-res1"],
      "PUT /2/instances/web1/startup?force=1": "12",
    };
    const { cluster } = await open(`--url ${url()}`);
    const startup = { OP_ID: "OP_INSTANCE_STARTUP", instance_name: "web1", force: true };
    expect(await cluster.submit([[startup]])).toEqual([{ id: 12 }]);
    expect(await failure(cluster.archive(9))).toMatchObject({
      message: `${url()} is a server of Ganeti: its remote API cannot archive jobs.`,
    });
    expect(await failure(cluster.submit([[{ ...startup, startup_paused: true }]]))).toMatchObject({
      message: `${url()} is a server of Ganeti: its remote API cannot say startup_paused of OP_INSTANCE_STARTUP.`,
    });
    expect(await failure(cluster.submit([[{ OP_ID: "OP_CLUSTER_VERIFY" }]]))).toMatchObject({
      message: `${url()} is a server of Ganeti: its remote API cannot submit OP_CLUSTER_VERIFY.`,
    });
  });

  test("a remote server of ours is used like the local one", async () => {
    answers = { "GET /2/features": ["opcode-jobs"], "POST /ganeti-ts/1/jobs": [{ id: 3 }] };
    const { cluster } = await open("", { GANETI_RAPI_URL: url() });
    expect(await cluster.submit([[{ OP_ID: "OP_CLUSTER_VERIFY" }]])).toEqual([{ id: 3 }]);
  });
});

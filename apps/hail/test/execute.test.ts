// Sets of jobs, carried out over a master's socket and over the remote API.
import { type BalanceMove, loadCluster } from "@ganeti-ts/htools";
import type { JsonObject } from "@ganeti-ts/protocol";
import { aCluster, aNode, anInstance } from "@ganeti-ts/testkit";
import { afterEach, describe, expect, test } from "vitest";
import { annotating } from "../src/jobs/annotation.js";
import { runnerFor } from "../src/jobs/connect.js";
import { executeJobSets, type JobSet } from "../src/jobs/execute.js";
import type { Job, Opcode } from "../src/jobs/job-runner.js";
import { luxiRunner } from "../src/jobs/luxi-runner.js";
import { moveSets } from "../src/jobs/move-sets.js";
import { opcodeRecord } from "../src/jobs/opcode-record.js";
import { rapiRunner } from "../src/jobs/rapi-runner.js";
import type { Ports } from "../src/ports.js";
import { defaultSettings, type Settings } from "../src/settings.js";
import { portsIn, type World } from "./fake-ports.js";
import { type HttpServer, startHttp } from "./masters.js";
import { aRealm, type Call, type Master, type Realm, startMaster } from "./mock-master.js";

const migrate = (name: string): Opcode => ({
  OP_ID: "OP_INSTANCE_MIGRATE",
  instance_name: name,
  allow_failover: true,
});
const replace = (name: string, node: string): Opcode => ({
  OP_ID: "OP_INSTANCE_REPLACE_DISKS",
  instance_name: name,
  mode: "replace_new_secondary",
  disks: [],
  remote_node: node,
});

const set = (names: string, ...jobs: Job[]): JobSet => ({ description: `moving ${names}`, jobs });
const sets: readonly JobSet[] = [
  set("a,b", [migrate("a"), replace("a", "n3"), migrate("a")], [replace("b", "n4")]),
  set("c", [migrate("c")]),
];

const annotate = annotating({
  source: "hbal",
  comment: "for the test",
  reason: undefined,
  nowMicros: 1_700_000_000_123_456,
});

const open: (Master | HttpServer)[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

interface Run {
  readonly result: number | string;
  readonly stdout: string;
  readonly slept: readonly number[];
}

/** Executes the sets; an error is returned as its message. */
async function execute(
  connect: (ports: Ports) => Parameters<typeof executeJobSets>[0]["connect"],
  change: Partial<Ports> = {},
  what = sets,
): Promise<Run> {
  const slept: number[] = [];
  const world: World = {
    change: {
      sleep: async (ms) => {
        slept.push(ms);
      },
      ...change,
    },
  };
  const { ports, outcome } = portsIn(world);
  const execution = { program: "hbal", sets: what, annotate, connect: connect(ports) };
  const result = await executeJobSets(execution, ports).catch((error: Error) => error.message);
  return { result, stdout: outcome.stdout, slept };
}

async function overLuxi(realm: Partial<Realm> = {}, change: Partial<Ports> = {}) {
  const master = await startMaster(aRealm(realm));
  open.push(master);
  const run = await execute((ports) => luxiRunner(master.socket, ports), change);
  return { ...run, master };
}

describe("over a master's socket", () => {
  test("a job set is submitted when the previous one has succeeded", async () => {
    const statuses = ["queued", "waiting", "running", "success"];
    const { result, stdout, slept, master } = await overLuxi({
      jobs: (id, time) => (id === 101 ? (statuses[time - 1] ?? "") : "success"),
    });
    expect([result, stdout]).toEqual([0, "Got job IDs 101,102\nGot job IDs 103\n"]);
    expect(slept).toEqual([500, 1000, 2000, 4000, 500]);
    const methods = master.calls.map(({ method }) => method);
    const asked = ["QueryJobs", "QueryJobs", "QueryJobs", "QueryJobs"];
    expect(methods).toEqual(["SubmitManyJobs", ...asked, "SubmitManyJobs", "QueryJobs"]);
    expect(master.calls[1]?.args).toEqual([[101, 102], ["status"]]);
  });

  test("opcodes carry priority, comment and reason, before their own parameters", async () => {
    const { master } = await overLuxi();
    const [jobs] = (master.calls[0] as Call).args as [JsonObject[][]];
    expect(jobs.map((job) => job.length)).toEqual([3, 1]);
    expect(JSON.stringify(jobs[1]?.[0])).toBe(
      JSON.stringify({
        priority: 0,
        depends: null,
        comment: "for the test",
        // The mock reads JSON as JavaScript does.
        reason: [["hbal", "hbal (ganeti) version 3.0.2-3 called", 1_700_000_000_123_456_000]],
        ...replace("b", "n4"),
      }),
    );
  });

  test("the polling interval of jobs grows up to 15 s", async () => {
    const { slept } = await overLuxi({ jobs: (_, time) => (time > 8 ? "success" : "running") });
    const first = [500, 1000, 2000, 4000, 8000, 15000, 15000, 15000, 15000];
    expect(slept).toEqual([...first, ...first]);
  });

  // Recorded from Ganeti 3.0.2.
  test.each<[string, Partial<Realm>, string, string]>([
    [
      "failed",
      { jobs: (id) => (id === 102 ? "error" : "success") },
      "Got job IDs 101,102\n",
      "hbal: Not all jobs completed successfully: [(JobId {fromJobId = 102},JOB_STATUS_ERROR)]\nAborting.\n",
    ],
    [
      "were canceled",
      { jobs: () => "canceled" },
      "Got job IDs 101,102\n",
      "hbal: Not all jobs completed successfully: [(JobId {fromJobId = 101},JOB_STATUS_CANCELED),(JobId {fromJobId = 102},JOB_STATUS_CANCELED)]\nAborting.\n",
    ],
    [
      "were refused",
      { refuses: (id) => (id === 102 ? "not today" : undefined) },
      "",
      'hbal: Job submission error: Unhandled exception: LuxiError "not today"',
    ],
    [
      "find the queue full",
      {
        instead: ({ method }) =>
          method === "SubmitManyJobs"
            ? { success: false, result: ["JobQueueFull", []] }
            : undefined,
      },
      "",
      "hbal: Job submission error: Failure: the job queue is full and doesn't accept new job submissions until old jobs are archived",
    ],
    [
      "got lost",
      {
        instead: ({ method }) =>
          method === "QueryJobs" ? { success: false, result: ["JobLost", ["gone"]] } : undefined,
      },
      "Got job IDs 101,102\n",
      "hbal: Checking job status: Error checking job status: gone",
    ],
    [
      "have no master any more",
      { instead: ({ method }) => (method === "QueryJobs" ? "close" : undefined) },
      "Got job IDs 101,102\n",
      "<socket: 3>: hWaitForInput: end of file",
    ],
  ])("nothing further is done when jobs %s", async (_, realm, stdout, result) => {
    const run = await overLuxi(realm);
    expect([run.stdout, run.result]).toEqual([stdout, result]);
    expect(run.master.submitted()).toHaveLength(1);
  });
});

describe("signals", () => {
  /** Sends signals when a set has been submitted. */
  const interrupted = async (signals: ("SIGINT" | "SIGTERM")[], realm: Partial<Realm> = {}) => {
    const handlers = new Map<string, () => void>();
    const taken: string[] = [];
    const run = await overLuxi(realm, {
      onSignal: (signal, handle) => {
        handlers.set(signal, handle);
        return () => taken.push(signal);
      },
      sleep: async () => {
        for (const signal of signals.splice(0)) handlers.get(signal)?.();
      },
    });
    expect(taken).toEqual(["SIGINT", "SIGTERM"]);
    return run;
  };
  const canceling = "Cancel request registered, will exit at the end of the current job set...\n";

  test("SIGINT ends the execution after the current set, and the remaining sets are listed", async () => {
    const { result, stdout, master } = await interrupted(["SIGINT"]);
    expect(result).toBe(0);
    const record =
      'OpInstanceMigrate {opInstanceName = "c", opInstanceUuid = Nothing, opMigrationMode = Nothing, opOldLiveMode = Nothing, opTargetNode = Nothing, opTargetNodeUuid = Nothing, opAllowRuntimeChanges = False, opIgnoreIpolicy = False, opMigrationCleanup = False, opIallocator = Nothing, opAllowFailover = True, opIgnoreHvversions = False}';
    expect(stdout).toBe(
      `Got job IDs 101,102\n${canceling}Exiting early due to user request, \n1jobset(s) submitted: \n[("moving a,b",[(101,JOB_STATUS_SUCCESS),(102,JOB_STATUS_SUCCESS)])]\n1 jobset(s) not submitted:\n[("moving c",[[${record}]])]\n`,
    );
    expect(master.submitted()).toHaveLength(1);
  });

  test("SIGINT does not hide a failed job", async () => {
    const { result } = await interrupted(["SIGINT"], { jobs: () => "error" });
    expect(result).toMatch(/^hbal: Not all jobs completed successfully/);
  });

  test("SIGTERM ends the execution immediately", async () => {
    const { result, stdout } = await interrupted(["SIGTERM"], { jobs: () => "running" });
    expect(result).toBe(2);
    expect(stdout).toBe("Got job IDs 101,102\nDouble cancel request, exiting now...\n");
  });
});

describe("the master that executes a solution", () => {
  const runner = (change: Partial<Settings>) =>
    runnerFor("hbal", { ...defaultSettings(), ...change }, portsIn({}).ports);

  test.each<[Partial<Settings>]>([[{ luxi: "/socket" }], [{ master: "cluster" }]])(
    "the master that told of the cluster: %j",
    async (change) => expect(await runner(change)).toBeInstanceOf(Function),
  );

  test.each<[Partial<Settings>]>([[{ textData: "x" }], [{ master: "file:///folder" }]])(
    "nobody, if there is none: %j",
    async (change) => {
      await expect(runner(change)).rejects.toThrow(
        "hbal: Execution of commands possible only on LUXI",
      );
    },
  );

  test("steps of a balanced cluster become jobs", () => {
    const seats = { primary: 0, secondary: 1 };
    const cluster = loadCluster(
      aCluster({
        nodes: [aNode(), aNode({ name: "node2" }), aNode({ name: "node3" })],
        instances: [
          anInstance({ name: "a", ...seats }),
          anInstance({ name: "b", ...seats, forthcoming: true }),
        ],
      }),
    );
    const seat = { ...seats, locationScore: 0 };
    const steps = [0, 1].map((index) => ({
      index,
      from: seat,
      to: seat,
      scoreBefore: 0,
      score: 0,
    }));
    const moves = [{ kind: "failover" }, { kind: "replace-and-failover", target: 2 }] as const;
    const set = steps.map((step, at) => ({ ...step, move: moves[at] as BalanceMove }));
    const [first, ...others] = moveSets(cluster, [set], "Executing jobset for instances");
    expect(others).toEqual([]);
    expect(first?.description).toBe("Executing jobset for instances a,b");
    expect(first?.jobs.map((job) => job.map(({ OP_ID }) => OP_ID))).toEqual([
      ["OP_INSTANCE_MIGRATE"],
      ["OP_INSTANCE_REPLACE_DISKS", "OP_INSTANCE_FAILOVER"],
    ]);
  });
});

// Recorded from Ganeti 3.0.2.
test.each<[Opcode, string]>([
  [
    { ...migrate("i"), target_node: "node1", ignore_hvversions: true },
    'OpInstanceMigrate {opInstanceName = "i", opInstanceUuid = Nothing, opMigrationMode = Nothing, opOldLiveMode = Nothing, opTargetNode = Just (NonEmpty {fromNonEmpty = "node1"}), opTargetNodeUuid = Nothing, opAllowRuntimeChanges = False, opIgnoreIpolicy = False, opMigrationCleanup = False, opIallocator = Nothing, opAllowFailover = True, opIgnoreHvversions = True}',
  ],
  [
    replace("i", "n"),
    'OpInstanceReplaceDisks {opInstanceName = "i", opInstanceUuid = Nothing, opEarlyRelease = False, opIgnoreIpolicy = False, opReplaceDisksMode = ReplaceNewSecondary, opReplaceDisksList = [], opRemoteNode = Just (NonEmpty {fromNonEmpty = "n"}), opRemoteNodeUuid = Nothing, opIallocator = Nothing}',
  ],
  [
    { OP_ID: "OP_TAGS_SET", kind: "node", tags: ["htools:standby:auto"], name: "node2" },
    'OpTagsSet {opKind = TagKindNode, opTagsList = ["htools:standby:auto"], opTagsGetName = Just "node2"}',
  ],
  [
    {
      OP_ID: "OP_NODE_SET_PARAMS",
      node_name: "node2",
      force: false,
      offline: true,
      auto_promote: false,
    },
    'OpNodeSetParams {opNodeName = NonEmpty {fromNonEmpty = "node2"}, opNodeUuid = Nothing, opForce = False, opHvState = Nothing, opDiskState = Nothing, opMasterCandidate = Nothing, opOffline = Just True, opDrained = Nothing, opAutoPromote = False, opMasterCapable = Nothing, opVmCapable = Nothing, opSecondaryIp = Nothing, opgenericNdParams = Nothing, opPowered = Nothing}',
  ],
  [
    {
      OP_ID: "OP_OOB_COMMAND",
      node_names: ["node2", "node3"],
      command: "power-off",
      timeout: 60,
      ignore_status: false,
      power_delay: 2,
    },
    'OpOobCommand {opNodeNames = [NonEmpty {fromNonEmpty = "node2"},NonEmpty {fromNonEmpty = "node3"}], opNodeUuids = Nothing, opOobCommand = OobPowerOff, opOobTimeout = 60, opIgnoreStatus = False, opPowerDelay = 2.0}',
  ],
])("%j is shown as Ganeti shows it", (opcode, record) => {
  expect(opcodeRecord(opcode)).toBe(record);
});

describe("over the remote API", () => {
  interface Submitted {
    readonly what: string;
    readonly body: JsonObject;
  }

  /** Accepts jobs from 201 on; `status` tells how they are when looked at. */
  async function overRapi(status: (id: number, time: number) => string | undefined, refuseAt = 0) {
    const submitted: Submitted[] = [];
    const looks = new Map<number, number>();
    const server = await startHttp((request, response, body) => {
      const { method, url = "" } = request;
      if (method === "GET") {
        const id = Number(url.split("/").at(-1));
        looks.set(id, (looks.get(id) ?? 0) + 1);
        const now = status(id, looks.get(id) as number);
        const none = { received_ts: null, start_ts: null, end_ts: null };
        const job = { id, status: now, summary: [], opstatus: [], ops: [], ...none };
        const unknown = { ...none, id: null, status: null };
        response.end(JSON.stringify(now === undefined ? unknown : job));
        return;
      }
      submitted.push({ what: `${method} ${url}`, body: JSON.parse(body) });
      if (submitted.length === refuseAt) {
        response.writeHead(503);
        const message = "Job queue is full, needs archiving";
        response.end(JSON.stringify({ code: 503, message, explain: "" }));
        return;
      }
      response.end(String(200 + submitted.length));
    });
    open.push(server);
    const run = await execute(() => rapiRunner(server.address));
    return { ...run, submitted, looks };
  }
  const reason = "reason=hbal+%28ganeti%29+version+3.0.2-3+called";

  test("a job of several opcodes becomes a chain of jobs, other jobs do not depend on it", async () => {
    const { result, stdout, submitted } = await overRapi(() => "success");
    expect([result, stdout]).toEqual([0, "Got job IDs 201,202,203,204\nGot job IDs 205\n"]);
    const common = { comment: "for the test", priority: 0 };
    const { OP_ID: _m, instance_name: _a, ...migration } = migrate("a");
    const { OP_ID: _r, instance_name: _b, ...replacement } = replace("a", "n3");
    expect(submitted).toEqual([
      { what: `PUT /2/instances/a/migrate?${reason}`, body: { ...migration, ...common } },
      {
        what: `POST /2/instances/a/replace-disks?${reason}`,
        body: { ...replacement, ...common, depends: [[201, ["success"]]] },
      },
      {
        what: `PUT /2/instances/a/migrate?${reason}`,
        body: { ...migration, ...common, depends: [[202, ["success"]]] },
      },
      {
        what: `POST /2/instances/b/replace-disks?${reason}`,
        body: { ...replacement, remote_node: "n4", ...common },
      },
      { what: `PUT /2/instances/c/migrate?${reason}`, body: { ...migration, ...common } },
    ]);
  });

  test("jobs that have ended are not queried again", async () => {
    const { looks, slept } = await overRapi((id, time) =>
      id === 203 && time < 3 ? "running" : "success",
    );
    expect(Object.fromEntries(looks)).toEqual({ 201: 1, 202: 1, 203: 3, 204: 1, 205: 1 });
    expect(slept).toEqual([500, 1000, 2000, 500]);
  });

  test("every job of a chain that did not succeed is reported", async () => {
    const { result } = await overRapi((id) => (id === 202 || id === 203 ? "error" : "success"));
    expect(result).toBe(
      "hbal: Not all jobs completed successfully: [(JobId {fromJobId = 202},JOB_STATUS_ERROR),(JobId {fromJobId = 203},JOB_STATUS_ERROR)]\nAborting.\n",
    );
  });

  test("a refusal lists the jobs that were already submitted", async () => {
    const { result, stdout } = await overRapi(() => "success", 3);
    expect(stdout).toBe("");
    expect(result).toMatch(
      /^hbal: Job submission error: PUT http:\S+: 503 Job queue is full, needs archiving \(already submitted: 201, 202\)$/,
    );
  });

  test("a job that no longer exists is reported", async () => {
    const { result } = await overRapi((id) => (id === 202 ? undefined : "success"));
    expect(result).toBe("hbal: Checking job status: job 202 is gone");
  });
});

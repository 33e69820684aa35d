// The listener of the local protocol: its socket, access, neighbouring files and end.
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ssconfValues } from "@ganeti-ts/config";
import { createLuxiClient, GanetiError, type LuxiClient } from "@ganeti-ts/luxi";
import {
  connectLuxi,
  decodeLuxiCluster,
  type LuxiCall,
  luxiClusterCalls,
  readLuxiReply,
  writeLuxiCall,
} from "@ganeti-ts/luxi/calls";
import type { JobId, Json, JsonObject } from "@ganeti-ts/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { endOf } from "../instances.js";
import { aServer, aSpecialServer, type TestServer } from "../served.js";

let server: TestServer;
let luxi: LuxiClient;
beforeAll(async () => {
  server = await aServer("--no-ssl");
  luxi = createLuxiClient({ path: server.luxi.path });
});
afterAll(async () => {
  luxi.close();
  await server.end();
});

const limits = { connectMs: 10_000, silenceMs: 60_000, bytesMax: 1 << 29 };

const opcodes = (...list: JsonObject[]) => list as never;
const delay = (duration: number, more: JsonObject = {}) =>
  opcodes({ OP_ID: "OP_TEST_DELAY", duration, on_master: false, reason: [], ...more });

const ssconfOf = ({ luxi: { root } }: TestServer) =>
  Object.fromEntries(
    readdirSync(root.data)
      .filter((name) => name.startsWith("ssconf_"))
      .map((name) => [name.slice("ssconf_".length), readFileSync(join(root.data, name), "utf8")]),
  );

test("the socket is in the place used by Ganeti's programs below the master's root, accessible to its owner only", () => {
  const { path, root } = server.luxi;
  expect(root.path).toBe(join(server.directory.path, "vroot/node1.example.com"));
  expect(root.hostName).toBe("node1.example.com");
  expect(path).toBe(join(root.path, "var/run/ganeti/socket/ganeti-query"));
  expect(statSync(path).mode & 0o7777).toBe(0o600);
  for (const folder of [root.data, root.run, root.logs, root.locks]) {
    expect(statSync(folder).mode & 0o7777).toBe(0o750);
  }
});

test("htools read a cluster whose reservations have neither a node nor sizes of disks", async () => {
  const reserve = async (more: JsonObject) => {
    const parts = { mode: "create", forthcoming: true, nics: [], ...more };
    const id = await server.world.queue.submit([{ OP_ID: "OP_INSTANCE_CREATE", ...parts }]);
    expect((await endOf(server, id))[0]).toBe("success");
  };
  await reserve({ disks: [] });
  const placed = { instance_name: "placed.example.com", pnode: "node1.example.com" };
  await reserve({ ...placed, disk_template: "plain", disks: [{}] });

  const connection = await connectLuxi(server.luxi.path, limits);
  const answer = async (call: LuxiCall) =>
    readLuxiReply(await connection.exchange(writeLuxiCall(call)));
  const { nodes, instances, info, groups } = luxiClusterCalls;
  const cluster = decodeLuxiCluster({
    nodes: await answer(nodes),
    instances: await answer(instances),
    info: await answer(info),
    groups: await answer(groups),
  });
  connection.close();
  expect(cluster.instances).toMatchObject([
    { name: "placed.example.com", primary: 0, diskMib: 0, disks: [{ sizeMib: 0 }] },
  ]);
  const { data } = await luxi.query({ kind: "instance", fields: ["name"], filter: null });
  expect(data).toHaveLength(2);
});

test("the ssconf files have the values of the configuration, also after it has changed", async () => {
  const { data } = server.luxi.root;
  writeFileSync(join(data, "ssconf_hvparams_gone"), "old\n");
  const before = ssconfOf(server);
  expect(before.master_node).toBe("node1.example.com\n");
  const id = await luxi.submitJob({
    opcodes: opcodes(
      { OP_ID: "OP_TAGS_SET", kind: "cluster", tags: ["fresh"], reason: [] },
      { OP_ID: "OP_GROUP_ADD", group_name: "late", reason: [] },
    ),
  });
  await server.cluster.queue.ended(id);
  // Writing rests for a while after it has been done once.
  const wanted = () => ssconfValues(server.cluster.snapshot());
  await expect.poll(() => ssconfOf(server), { timeout: 300_000 }).toEqual(wanted());
  expect(wanted()).toMatchObject({ cluster_tags: "fresh\n" });
  expect(wanted().nodegroups).toMatch(/ late\n/);
  expect(existsSync(join(data, "ssconf_hvparams_gone"))).toBe(false);
});

test("a caller is in the reason trail, once, and those who name themselves are left as they are", async () => {
  const named = [["gnt:client:gnt-debug", "delay", 1_795_349_226_901_598_976n]] as Json;
  const jobs = [
    delay(0.001),
    delay(0.001, { reason: named }),
    delay(0.001, { reason: [["mine", "x", 1]] }),
  ];
  const answers = await luxi.submitManyJobs({ jobs: jobs as never });
  const trails = [];
  for (const [, id] of answers) {
    const [row] = await luxi.queryJobs({ ids: [id as JobId], fields: ["ops"] });
    const [{ reason }] = (row as Json[])[0] as [{ reason: [string, string, unknown][] }];
    trails.push(reason.map(([source]) => source));
    if (id === answers[1]?.[1]) expect(reason[0]?.[2]).toBe(1_795_349_226_901_598_976n);
  }
  expect(trails).toEqual([
    ["gnt:client", "gnt:opcode:test_delay"],
    ["gnt:client:gnt-debug", "gnt:opcode:test_delay"],
    ["mine", "gnt:client", "gnt:opcode:test_delay"],
  ]);
});

const refused = async (call: Promise<unknown>) => {
  const error = await call.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(GanetiError);
  const { code, values } = error as GanetiError;
  return [code, ...values];
};

test("a drained queue refuses all submissions but those meant for it", async () => {
  expect(await luxi.setDrainFlag({ drained: true })).toBe(true);
  expect(await luxi.queryConfigValues({ names: ["drain_flag"] })).toEqual([true]);
  const drained = ["JobQueueDrainError", "Queue drained"];
  expect(await refused(luxi.submitJob({ opcodes: delay(0.001) }))).toEqual(drained);
  expect(await refused(luxi.submitManyJobs({ jobs: [delay(0.001)] }))).toEqual(drained);
  const id = await luxi.submitJobToDrainedQueue({ opcodes: delay(0.001) });
  expect((await server.cluster.queue.ended(id)).status).toBe("success");
  expect(await luxi.setDrainFlag({ drained: false })).toBe(true);
  expect(await luxi.setDrainFlag({ drained: false })).toBe(true);
});

test("jobs are waited for, canceled, given other priorities and archived", async () => {
  const id = await luxi.submitJob({ opcodes: delay(0.001, { depends: [] }) });
  await server.cluster.queue.ended(id);
  expect(await luxi.changeJobPriority({ id, priority: 10 })).toEqual([
    false,
    `Job ${id} is finished`,
  ]);
  expect(await luxi.cancelJob({ id, kill: false })).toEqual([
    false,
    `Job ${id} not found in queue`,
  ]);
  expect(await luxi.archiveJob({ id })).toBe(true);
  expect(await luxi.archiveJob({ id })).toBe(false);
  const lost = luxi.waitForJobChange({
    id,
    fields: ["status"],
    previous: null,
    serial: null,
    seconds: 1,
  });
  expect(await refused(lost)).toEqual(["JobLost", "Can't load job file"]);
  const [archived, left] = await luxi.autoArchiveJobs({ age: -1, timeout: 10 });
  expect([archived > 0, left]).toEqual([true, 0]);
  expect(await luxi.queryJobs({ ids: null, fields: ["id"] })).toEqual([]);
  expect(await luxi.queryJobs({ ids: [id, id], fields: ["id", "archived"] })).toEqual([[id, true]]);
});

test("a wait without a change answers with the present values, as a stop of the server does", async () => {
  const id = await luxi.submitJob({ opcodes: delay(600) });
  const wait = { id, fields: ["status"], serial: null };
  let previous: readonly Json[] | null = null;
  while (previous?.[0] !== "running") {
    const answer: Json = await luxi.waitForJobChange({ ...wait, previous, seconds: 60 });
    [previous] = answer as unknown as [readonly Json[]];
  }
  expect(await luxi.waitForJobChange({ ...wait, previous, seconds: 0 })).toEqual([["running"], []]);
  const second = createLuxiClient({ path: server.luxi.path });
  const waiting = second.waitForJobChange({ ...wait, previous, seconds: 60 });
  await new Promise((resolve) => setTimeout(resolve, 50));
  const closing = server.luxi.close(10_000);
  expect(await waiting).toEqual([["running"], []]);
  await closing;
  second.close();
  luxi.close();
  await server.cluster.queue.cancel(id, { kill: true });
  server = await server.again();
  luxi = createLuxiClient({ path: server.luxi.path });
});

test("an unknown field of a wait is refused, not waited for", async () => {
  const id = await luxi.submitJob({ opcodes: delay(0.001) });
  const call = luxi.waitForJobChange({
    id,
    fields: ["nosuch"],
    previous: null,
    serial: null,
    seconds: 60,
  });
  expect(await refused(call)).toEqual([
    "OpPrereqError",
    "Unknown output fields selected: nosuch",
    "wrong_input",
  ]);
});

test("the pause of the watcher is set, read and ended", async () => {
  expect(await luxi.setWatcherPause({ until: 1_900_000_000.5 })).toBe(1_900_000_000.5);
  expect(await luxi.queryConfigValues({ names: ["watcher_pause"] })).toEqual([1_900_000_000.5]);
  expect(await luxi.setWatcherPause({ until: null })).toBeNull();
  expect(await luxi.queryConfigValues({ names: ["watcher_pause"] })).toEqual([null]);
});

test("filter rules are added, replaced and deleted; an unknown one is refused", async () => {
  const rule = { priority: 5, predicates: [], action: "CONTINUE" as const, reason: [] };
  const uuid = await luxi.replaceFilter({ uuid: null, ...rule });
  expect(await luxi.replaceFilter({ uuid, ...rule, priority: 6 })).toBe(uuid);
  const asked = { uuids: [uuid], fields: ["priority", "action"] };
  expect(await luxi.queryFilters(asked)).toEqual([[6, "CONTINUE"]]);
  expect(await luxi.deleteFilter({ uuid })).toBeNull();
  const gone = (name: string) => ["GenericError", `Filter rule with UUID ${name} does not exist`];
  expect(await refused(luxi.deleteFilter({ uuid }))).toEqual(gone(uuid));
  expect(await refused(luxi.deleteFilter({ uuid: "x" }))).toEqual(gone("x"));
  expect(await luxi.queryFilters(asked)).toEqual([]);
  const predicates = [["reason", ["=~", "reason", "("]]] as never;
  await expect(luxi.replaceFilter({ uuid: null, ...rule, predicates })).rejects.toThrow(
    /^Failed to parse request: Cannot convert value '\[null, 5, .*regular expression/,
  );
});

test("--luxi sets the socket, and --luxi-group gives a group access", async () => {
  const group = process.getgid?.() ?? 0;
  let path = "";
  const other = await aSpecialServer(
    {
      prepare: async (folder) => {
        path = join(folder, "own.sock");
      },
    },
    "--no-ssl",
    "--luxi-group",
    String(group),
  );
  expect(statSync(other.luxi.path).mode & 0o7777).toBe(0o660);
  expect(statSync(other.luxi.path).gid).toBe(group);
  await other.end();
  expect(existsSync(path)).toBe(false);
});

test("a path that is too long for a socket is refused with both lengths", async () => {
  const path = `/tmp/${"x".repeat(120)}`;
  await expect(aServer("--no-ssl", "--luxi", path)).rejects.toThrow(
    /has 125 bytes, at most 107 are possible: \/tmp\/x+; use a shorter --data-dir, or name a path with --luxi/,
  );
});

test("where the data directory's path is too long for Ganeti's programs, the socket is in it", async () => {
  const folder = mkdtempSync(join(tmpdir(), `long-${"x".repeat(60)}-`));
  const other = await aServer("--no-ssl", "--data-dir", folder);
  expect(other.luxi.path).toBe(join(folder, "luxi.sock"));
  expect(await askedInfo(other.luxi.path)).toMatchObject({ name: "demo.example.com" });
  await other.end();
  expect(existsSync(other.luxi.path)).toBe(false);
  rmSync(folder, { recursive: true });
});

async function askedInfo(path: string): Promise<unknown> {
  const client = createLuxiClient({ path });
  try {
    return await client.queryClusterInfo({});
  } finally {
    client.close();
  }
}

test("an unknown group is refused by name", async () => {
  await expect(aServer("--no-ssl", "--luxi-group", "no-such-group")).rejects.toThrow(
    "--luxi-group: there is no group no-such-group in /etc/group",
  );
});

test("a file that is not a socket is left unchanged", async () => {
  let path = "";
  const failing = aSpecialServer(
    {
      prepare: async (folder) => {
        const sockets = join(folder, "vroot/node1.example.com/var/run/ganeti/socket");
        mkdirSync(sockets, { recursive: true });
        path = join(sockets, "ganeti-query");
        writeFileSync(path, "precious");
      },
    },
    "--no-ssl",
  );
  await expect(failing).rejects.toThrow(/cannot listen on .*exists and is not a socket/);
  expect(readFileSync(path, "utf8")).toBe("precious");
});

test("a stopped server removes its socket, and a dead one's is replaced", async () => {
  const { path } = server.luxi;
  luxi.close();
  await server.luxi.close(1000);
  expect(existsSync(path)).toBe(false);
  server = await server.again();
  luxi = createLuxiClient({ path });
  const socket = connect(path);
  await once(socket, "connect");
  socket.destroy();
});

import { Snapshot } from "@ganeti-ts/config";
import type { Json } from "@ganeti-ts/protocol";
import { aSnapshot, instanceUuid, someNodes } from "@ganeti-ts/testkit/configuration";
import { expect, test } from "vitest";
import { type QueryDeps, type QueueReader, queryResource } from "../src/query-resource.js";
import { fieldsOf } from "../src/resources.js";

const now = aSnapshot();
const node = (name: string): string => now.expectNode(name).uuid;
const allUp = { [node("node1")]: ["inst1.example.com"], [node("node2")]: [] };

function deps(
  running: Readonly<Record<string, readonly string[]>> = allUp,
  queue?: QueueReader,
  of: Snapshot = now,
) {
  const { nodes, calls } = someNodes(running);
  const caller = { lease: "1:1", signal: new AbortController().signal };
  const made: QueryDeps = { now: of, nodes, caller, queue, architecture: ["64bits", "x86_64"] };
  return { deps: made, calls };
}

const rows = async (
  kind: Parameters<typeof queryResource>[1],
  fields: readonly string[],
  filter: Json = null,
  made: QueryDeps = deps().deps,
) => (await queryResource(made, kind, fields, filter)).data;

test("instances come in natural order, reservations without name by uuid, without claims", async () => {
  expect(await rows("instance", ["name", "forthcoming"])).toEqual([
    [
      [0, instanceUuid(4)],
      [0, true],
    ],
    [
      [0, "inst1.example.com"],
      [0, false],
    ],
    [
      [0, "inst2.example.com"],
      [0, false],
    ],
    [
      [0, "inst10.example.com"],
      [0, false],
    ],
  ]);
});

test("what a reservation does not say is unavailable", async () => {
  const fields = ["pnode", "os", "status", "oper_state", "oper_ram", "disk_template", "disk.count"];
  expect(await rows("instance", fields, ["==", "name", instanceUuid(4)])).toEqual([
    [
      [3, null],
      [3, null],
      [0, "ADMIN_down"],
      [0, false],
      [3, null],
      [0, "diskless"],
      [0, 0],
    ],
  ]);
});

test("values of disks and NICs, all together and one by one", async () => {
  const [row] = await rows(
    "instance",
    [
      ...["disk_usage", "disk.sizes", "disk.size/0", "disk.size/1", "disk.name/0", "snodes"],
      ...["nic.links", "nic.bridges", "nic.vlans", "nic.networks.names", "nic.ip/0", "nic.ip/1"],
      ...["nic.bridge/0", "bridge", "nic.bridge/1", "be/memory", "hv/migration_downtime"],
    ],
    ["==", "name", "inst1"],
  );
  expect(row).toEqual([
    [0, 1024 + 128],
    [0, [1024]],
    [0, 1024],
    [3, null],
    [3, null],
    [0, ["node2.example.com"]],
    [0, ["br1", "sw"]],
    [0, ["br1", null]],
    [0, [null, ".7"]],
    [0, ["net1", null]],
    [0, "10.0.0.3"],
    [3, null],
    [0, "br1"],
    [0, "br1"],
    [3, null],
    [0, 512],
    [0, 30],
  ]);
});

/** The cluster with other group and instances. */
const changed = (content: object) =>
  deps({}, undefined, Snapshot.of({ ...now.content(), ...content })).deps;

test("a template that a group sets shows the group's parameters alone, the others those of the cluster", async () => {
  const ofGroup = { drbd: { "resync-rate": 7 } };
  const groups = [...now.groups()].map((group) => ({ ...group, diskparams: ofGroup }));
  const [row] = await rows("group", ["diskparams"], ["==", "name", "default"], changed({ groups }));
  expect(row).toEqual([[0, { ...now.cluster.diskparams, ...ofGroup }]]);
});

test("a NIC shows the cluster's parameters under its own, without those of a connection", async () => {
  const instances = [...now.instances()].map((instance) => ({
    ...instance,
    nics: instance.nics.map((nic) => ({ ...nic, nicparams: {} })),
  }));
  const fields = ["nic.links", "nic.link/0", "nic.mode/0"];
  const made = changed({ instances });
  const { link, mode } = now.cluster.nicparams.default;
  const [row] = await rows("instance", fields, ["==", "name", "inst1"], made);
  expect(row).toEqual([
    [0, [link, link]],
    [0, link],
    [0, mode],
  ]);
});

test("a reservation without a hypervisor has no parameters of one", async () => {
  const fields = ["hvparams", "hv/kernel_path"];
  expect(await rows("instance", fields, ["==", "name", instanceUuid(4)])).toEqual([
    [
      [0, {}],
      [3, null],
    ],
  ]);
});

test("global parameters of hypervisors are not shown with an instance", async () => {
  const [row] = await rows("instance", ["hvparams"], ["==", "name", "inst2"]);
  const hvparams = row?.[0]?.[1] as Record<string, unknown>;
  expect(hvparams.kernel_path).toBe("/boot/v");
  expect(Object.keys(hvparams).filter((name) => name.startsWith("migration_"))).toEqual([
    ...["migration_downtime", "migration_caps"],
  ]);
});

test("objects are found by uuid as well, in the order asked for", async () => {
  const filter = ["|", ["==", "name", node("node2")], ["==", "name", "node1"]];
  expect(await rows("node", ["name", "role"], filter)).toEqual([
    [
      [0, "node2.example.com"],
      [0, "C"],
    ],
    [
      [0, "node1.example.com"],
      [0, "M"],
    ],
  ]);
});

test("an unknown name is an error if the filter contains only names", async () => {
  await expect(rows("node", ["name"], ["==", "name", "nosuch"])).rejects.toThrow(
    "Node name nosuch not found",
  );
  expect(await rows("node", ["name"], ["&", ["==", "name", "nosuch"]])).toEqual([]);
});

test("nodes are queried only for live fields, once each, and offline ones not at all", async () => {
  const configured = deps();
  await queryResource(configured.deps, "node", ["name", "pinst_cnt"], null);
  expect(configured.calls).toEqual([]);
  const live = deps();
  await queryResource(live.deps, "node", ["mfree", "dfree", "bootid"], null);
  expect(live.calls.sort()).toEqual(
    [`node_info ${node("node1")}`, `node_info ${node("node2")}`].sort(),
  );
});

test("consoles are also reported for instances that do not run", async () => {
  const { deps: made } = deps({ [node("node1")]: [], [node("node2")]: [] });
  expect(await rows("instance", ["console"], ["==", "name", "inst1"], made)).toEqual([
    [[0, { instance: "x", kind: "msg", message: "none" }]],
  ]);
});

test("live data is also collected for a field that occurs only in the filter", async () => {
  expect(await rows("node", ["name"], [">", "mfree", 5000])).toEqual([[[0, "node10.example.com"]]]);
});

test("live values of an offline node are offline, of one that does not answer without data", async () => {
  const { deps: made } = deps({ [node("node1")]: [] });
  expect(await rows("node", ["mfree", "dtotal", "sptotal"], null, made)).toEqual([
    [
      [0, 3000],
      [0, 10_000],
      [2, null],
    ],
    [
      [2, null],
      [2, null],
      [2, null],
    ],
    [
      [4, null],
      [4, null],
      [4, null],
    ],
  ]);
});

test("counting fields leave out what is held, and count reservations", async () => {
  expect(
    await rows("node", ["pinst_cnt", "pinst_list", "sinst_list"], ["==", "name", "node1"]),
  ).toEqual([
    [
      [0, 2],
      [0, ["inst1.example.com", "inst2.example.com"]],
      [0, []],
    ],
  ]);
  expect(await rows("group", ["name", "node_cnt", "pinst_cnt", "ndp/spindle_count"])).toEqual([
    [
      [0, "default"],
      [0, 2],
      [0, 2],
      [0, 1],
    ],
    [
      [0, "other"],
      [0, 1],
      [0, 1],
      [0, 3],
    ],
  ]);
});

test("a network shows who is in it, and which addresses are taken", async () => {
  const fields = [
    "map",
    "free_count",
    "reserved_count",
    "external_reservations",
    "inst_list",
    "group_list",
  ];
  expect(await rows("network", fields)).toEqual([
    [
      [0, "XX.X...........X"],
      [0, 12],
      [0, 4],
      [0, "10.0.0.0, 10.0.0.1, 10.0.0.15"],
      [0, ["inst1.example.com"]],
      [0, [["default", "bridged", "br1", ""]]],
    ],
  ]);
});

test("exports are rows of their own; a node that cannot tell has one row", async () => {
  const { deps: made } = deps({ [node("node1")]: ["a", "b"] });
  expect(await rows("export", ["node", "export"], null, made)).toEqual([
    [
      [0, "node1.example.com"],
      [0, "a"],
    ],
    [
      [0, "node1.example.com"],
      [0, "b"],
    ],
    [
      [0, "node2.example.com"],
      [2, null],
    ],
    [
      [0, "node10.example.com"],
      [4, null],
    ],
  ]);
  expect(await rows("export", ["export"], ["==", "node", "node1"], made)).toEqual([
    [[0, "a"]],
    [[0, "b"]],
  ]);
});

const queue: QueueReader = {
  async *query(ids, fields) {
    const job = (id: number) =>
      fields.map((name): Json => (name === "id" ? id : name === "status" ? "success" : null));
    if (ids.length > 0) yield ids.map((id) => (id === 99 ? undefined : job(id)));
    else {
      yield [job(1), job(2)];
      yield [job(10)];
    }
  },
  rules: [],
  settings: { drained: true },
  locks: async () => [{ name: "node/x" as never, mode: "shared", owner: ["7"], pending: [] }],
};

test("jobs that do not exist are rows of what is unavailable", async () => {
  const made = deps(allUp, queue).deps;
  expect(await rows("job", ["id", "status", "end_ts"], null, made)).toEqual([
    [
      [0, 1],
      [0, "success"],
      [3, null],
    ],
    [
      [0, 2],
      [0, "success"],
      [3, null],
    ],
    [
      [0, 10],
      [0, "success"],
      [3, null],
    ],
  ]);
  const filter = ["|", ["==", "id", 2], ["==", "id", 99]];
  expect(await rows("job", ["id", "status"], filter, made)).toEqual([
    [
      [0, 2],
      [0, "success"],
    ],
    [
      [0, 99],
      [3, null],
    ],
  ]);
});

test("all jobs are shown part by part, a job that is missing once however many parts there are", async () => {
  const taken: number[] = [];
  const parts: QueueReader = {
    ...queue,
    async *query(ids, fields, options) {
      for await (const some of queue.query(ids, fields, options)) {
        taken.push(some.length);
        yield some;
      }
    },
  };
  const made = deps(allUp, parts).deps;
  expect(await rows("job", ["id"], [">", "id", 1], made)).toEqual([[[0, 2]], [[0, 10]]]);
  expect(taken).toEqual([2, 1]);
  expect(await rows("job", ["id", "status"], ["==", "id", 99], made)).toEqual([
    [
      [0, 99],
      [3, null],
    ],
  ]);
  expect(await rows("job", ["id"], ["|"], made)).toEqual([]);
});

test("locks and the cluster itself are queried, too", async () => {
  const made = deps(allUp, queue).deps;
  expect(await rows("lock", ["name", "mode", "owner", "pending"], null, made)).toEqual([
    [
      [0, "node/x"],
      [0, "shared"],
      [0, ["7"]],
      [0, []],
    ],
  ]);
  expect(
    await rows("cluster", ["name", "master_node", "drain_flag", "watcher_pause"], null, made),
  ).toEqual([
    [
      [0, "cluster.example.com"],
      [0, "node1.example.com"],
      [0, true],
      [3, null],
    ],
  ]);
});

test("without a queue there is nothing to ask about jobs", async () => {
  await expect(rows("job", ["id"])).rejects.toThrow("Unknown query resource 'job'");
});

test("no field of any object shows a claim", async () => {
  const claims = [...now.claims()].map(({ uuid }) => uuid);
  expect(claims).toHaveLength(1);
  const gone = claims.map((uuid) => ({ kind: "remove", type: "claim", uuid }) as const);
  const free = now.with(gone, { serial: now.serial, mtime: now.mtime });
  for (const kind of ["cluster", "group", "instance", "network", "node"] as const) {
    const fields = fieldsOf(kind).map(({ name }) => name);
    const [withClaim, without] = await Promise.all(
      [now, free].map((at) => rows(kind, fields, null, { ...deps().deps, now: at })),
    );
    expect(withClaim, kind).toEqual(without);
    expect(withClaim?.length, kind).toBeGreaterThan(0);
  }
});

import type { Json, JsonObject } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { ServerLacks } from "../src/errors.js";
import { program } from "../src/programs/gnt-instance.js";
import { program as nodeProgram } from "../src/programs/gnt-node.js";
import { fakeCluster, tableOf } from "./fake-cluster.js";
import { runLine } from "./run-line.js";

const uuid = (last: number) => `2c3e1f0a-8d5b-4b8e-9d53-0d6f4a1c7b${String(last).padStart(2, "0")}`;

/** Path, device numbers, percent and seconds of a synchronisation, degraded, local disk. */
type Status = readonly Json[] | null;

const volume = (name: string, size: number, primary: Status, secondary: Status): JsonObject => ({
  iv_name: null,
  dev_type: "plain",
  logical_id: ["xenvg", name],
  drbd_info: null,
  pstatus: primary as Json,
  sstatus: secondary as Json,
  children: [],
  mode: "rw",
  size,
  spindles: null,
  name: null,
  uuid: uuid(size % 100),
});

const onVg = (name: string, local: number): Status => [
  ...[`/dev/xenvg/${name}`, 253, 4, null, null, false, local],
];

const mirror: JsonObject = {
  iv_name: "disk/0",
  dev_type: "drbd",
  mode: "rw",
  size: 20480,
  spindles: 2,
  name: "root",
  logical_id: ["a", "b", 11001, 0, 1, null],
  drbd_info: {
    primary_node: "node1.example.com",
    primary_minor: 0,
    port: 11001,
    secondary_node: "node2.example.com",
    secondary_minor: 1,
  },
  pstatus: ["/dev/drbd0", 147, 0, 45.5, 63, true, 2],
  sstatus: ["/dev/drbd1", 147, 1, null, null, true, 4],
  children: [
    volume("data", 20480, onVg("data", 1), onVg("data", 4)),
    volume("meta", 128, onVg("meta", 1), null),
  ],
  uuid: uuid(1),
};

const web1: JsonObject = {
  name: "web1.example.com",
  config_state: "up",
  run_state: "down",
  uuid: uuid(0),
  serial_no: 4,
  ctime: 1_800_000_000.5,
  mtime: 1_800_000_061.25,
  pnode: "node1.example.com",
  pnode_group_name: "default",
  pnode_group_uuid: uuid(10),
  snodes: ["node2.example.com"],
  snodes_group_names: ["default"],
  snodes_group_uuids: [uuid(10)],
  os: "debian+stable",
  network_port: 11000,
  os_instance: { fs: "ext4" },
  os_actual: { fs: "ext4", size: "2g" },
  hypervisor: "kvm",
  hv_instance: { acpi: false },
  hv_actual: { vnc_bind_address: "0.0.0.0", acpi: false, cpu_mask: "all" },
  be_instance: { vcpus: 2 },
  be_actual: { maxmem: 2048, minmem: 1024, vcpus: 2 },
  nics: [
    [null, uuid(20), "10.0.0.9", "aa:00:00:01:02:03", "bridged", "br0", "", "n", { name: "net1" }],
    ["lan", uuid(21), null, "aa:00:00:01:02:04", "routed", "t1", null, null, null],
  ],
  disk_template: "drbd",
  disks: [mirror],
  disk_status: [],
};

const info = async (line: string, found: JsonObject) => {
  const cluster = fakeCluster({ jobOf: () => ({ results: [found] }) });
  return { ...(await runLine(program, line, { cluster })), cluster };
};

test("instance info shows all data of an instance", async () => {
  const { code, stdout, cluster } = await info("info web1", { web1 });
  expect(code).toBe(0);
  await expect(stdout).toMatchFileSnapshot("golden/instance-info.txt");
  expect(cluster.submitted[0]).toMatchObject([
    { OP_ID: "OP_INSTANCE_QUERY_DATA", instances: ["web1"], static: false, use_locking: true },
  ]);
});

test("numbers can be Roman, and a reservation shows its known values only", async () => {
  const reserved: JsonObject = {
    ...web1,
    name: uuid(0),
    config_state: null,
    os: null,
    hypervisor: null,
    hv_actual: {},
    os_actual: {},
    nics: [],
    disks: [],
    disk_template: null,
    snodes: [],
    snodes_group_names: [],
  };
  const { stdout } = await info("info --roman web1", { reserved });
  await expect(stdout).toMatchFileSnapshot("golden/instance-info-roman.txt");
});

test.each([
  ["0.0.0.0", 11000, "vnc to node1.example.com:11000 (display 5100)"],
  ["10.0.0.1", 11000, "vnc to 10.0.0.1:11000 (node node1.example.com) (display 5100)"],
  ["/run/vnc", 11000, "vnc to node1.example.com:/run/vnc"],
  ["", 11000, undefined],
])("a console that listens on %j is told", async (vnc_bind_address, network_port, text) => {
  const { stdout } = await info("info web1", {
    a: { ...web1, network_port, hv_actual: { vnc_bind_address } },
  });
  expect(/console connection: (.*)/.exec(stdout)?.[1]).toBe(text);
});

test.each([
  [
    "info",
    "No instance selected. Please pass in --all if you want to query all instances.\nNote that this can take a long time on a big cluster.\n",
  ],
  ["info --all web1", "Cannot use --all if you specify instance names.\n"],
])("%s is refused", async (line, text) => {
  expect(await info(line, {})).toMatchObject({ code: 1, stdout: "", stderr: text });
});

/**
 * A server with the objects a and b that accepts only jobs about exactly one of them in
 * `parameter`.
 */
const oneByOne = (parameter: string, resultOf: (name: string) => Json) =>
  fakeCluster({
    query: async (_, names) => tableOf(names, [["a"], ["b"]]),
    jobOf: ([opcode]) => {
      const [name, ...more] = (opcode?.[parameter] ?? []) as string[];
      if (name === undefined || more.length > 0) throw new ServerLacks("it cannot");
      return { results: [resultOf(name)] };
    },
  });

test("a server of Ganeti is queried for one instance at a time", async () => {
  const cluster = oneByOne("instances", (name) => ({ [name]: { ...web1, name } }));
  const { stdout } = await runLine(program, "info --all", { cluster });
  expect(stdout.match(/(?<=Instance name: ).*/g)).toEqual(["a", "b"]);
  const { stdout: named } = await runLine(program, "info b a", { cluster });
  expect(named.match(/(?<=Instance name: ).*/g)).toEqual(["b", "a"]);
});

test("the warning about locks is shown only where locks are unexpected", async () => {
  const log = [" - WARNING: Non-static data requested, locks need to be acquired", "* more"];
  const cluster = fakeCluster({ jobOf: () => ({ log, results: [{ web1 }] }) });
  const { stdout } = await runLine(program, "info web1", { cluster });
  expect(stdout).toContain("* more");
  expect(stdout).not.toContain("locks");
});

test("a server of Ganeti is queried for the storage of one node at a time", async () => {
  const cluster = oneByOne("nodes", (node) => [[node, "/srv"]]);
  const line = "list-storage --no-headers -o node,name";
  const { stdout } = await runLine(nodeProgram, line, { cluster });
  expect(stdout).toBe("a /srv\nb /srv\n");
});

test("a query that the server does not support is reported", async () => {
  const cluster = fakeCluster({
    jobOf: () => {
      throw new ServerLacks("it cannot");
    },
  });
  const ran = await runLine(nodeProgram, "volumes a", { cluster });
  expect(ran).toMatchObject({ code: 1, stdout: "", stderr: "it cannot\n" });
});

test("a cluster may have no instances", async () => {
  expect(await info("info --all", {})).toMatchObject({ code: 1, stdout: "No instances.\n" });
});

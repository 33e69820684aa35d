import { isJsonObject, type Json, type JsonObject } from "@ganeti-ts/protocol";
import { describe, expect, test } from "vitest";
import { aWorld, faultText } from "./world.js";

const { ask } = await aWorld();

/** The opcodes of the job that a request submitted, without common parameters. */
async function submitted(method: string, path: string, body?: Json): Promise<JsonObject[]> {
  const answer = await ask(method, path, body === undefined ? {} : { body });
  if (answer.status !== 200) throw new Error(faultText(answer));
  const { body: job } = await ask("GET", `/2/jobs/${answer.text.trim()}`);
  if (!isJsonObject(job) || !Array.isArray(job.ops)) throw new Error("no job");
  return job.ops as JsonObject[];
}

const instance = { name: "web1", mode: "create", disk_template: "plain", disks: [], nics: [] };
const cases: [string, string, Json | undefined, object, string][] = [
  [
    "POST",
    "/2/nodes/n1/powercycle?force=1",
    undefined,
    { OP_ID: "OP_NODE_POWERCYCLE", node_name: "n1", force: true },
    "nodes_name_powercycle",
  ],
  [
    "PUT",
    "/2/nodes/n1/role?auto-promote=1",
    "drained",
    { OP_ID: "OP_NODE_SET_PARAMS", drained: true, auto_promote: true },
    "nodes_name_role",
  ],
  [
    "PUT",
    "/2/nodes/n1/role",
    "regular",
    { master_candidate: false, offline: false, drained: false },
    "nodes_name_role",
  ],
  [
    "POST",
    "/2/nodes/n1/evacuate?dry-run=1",
    { mode: "primary-only" },
    { OP_ID: "OP_NODE_EVACUATE", dry_run: true, mode: "primary-only" },
    "nodes_name_evacuate",
  ],
  [
    "POST",
    "/2/nodes/n1/migrate?live=0",
    undefined,
    { OP_ID: "OP_NODE_MIGRATE", mode: "non-live" },
    "nodes_name_migrate",
  ],
  [
    "POST",
    "/2/nodes/n1/migrate?reason=x",
    { target_node: "n2" },
    { target_node: "n2" },
    "nodes_name_migrate",
  ],
  [
    "GET",
    "/2/nodes/n1/storage?output_fields=name,size&storage_type=lvm-vg",
    undefined,
    { OP_ID: "OP_NODE_QUERY_STORAGE", nodes: ["n1"], output_fields: ["name", "size"] },
    "nodes_name_storage",
  ],
  [
    "PUT",
    "/2/nodes/n1/storage/modify?name=a&storage_type=lvm-pv&allocatable=0",
    undefined,
    { OP_ID: "OP_NODE_MODIFY_STORAGE", changes: { allocatable: false } },
    "nodes_name_storage_modify",
  ],
  ["POST", "/2/groups", { name: "g" }, { OP_ID: "OP_GROUP_ADD", group_name: "g" }, "groups"],
  [
    "PUT",
    "/2/groups/g/modify",
    { custom_ipolicy: {} },
    { OP_ID: "OP_GROUP_SET_PARAMS", ipolicy: {} },
    "groups_name_modify",
  ],
  [
    "PUT",
    "/2/groups/g/assign-nodes?force=1",
    { nodes: ["n"] },
    { OP_ID: "OP_GROUP_ASSIGN_NODES", force: true },
    "groups_name_assign_nodes",
  ],
  [
    "POST",
    "/2/networks",
    { name: "w", network: "10.0.0.0/24" },
    { OP_ID: "OP_NETWORK_ADD", network_name: "w" },
    "networks",
  ],
  [
    "DELETE",
    "/2/networks/w",
    { force: true },
    { OP_ID: "OP_NETWORK_REMOVE", force: true },
    "networks_name",
  ],
  [
    "POST",
    "/2/instances",
    { ...instance, __version__: 1, os: "noop", hvparams: { usb_devices: "a b" } },
    {
      OP_ID: "OP_INSTANCE_CREATE",
      instance_name: "web1",
      os_type: "noop",
      hvparams: { usb_devices: "a,b" },
    },
    "instances",
  ],
  [
    "POST",
    "/2/instances",
    { forthcoming: true },
    { OP_ID: "OP_INSTANCE_CREATE", forthcoming: true },
    "instances",
  ],
  [
    "POST",
    "/2/instances/web1/create",
    { start: false },
    { OP_ID: "OP_INSTANCE_CREATE", commit: true, instance_name: "web1", start: false },
    "instances_name_create",
  ],
  [
    "DELETE",
    "/2/instances/web1?dry-run=1",
    undefined,
    { OP_ID: "OP_INSTANCE_REMOVE", ignore_failures: false, dry_run: true },
    "instances_name",
  ],
  [
    "GET",
    "/2/instances/web1/info?static=1",
    undefined,
    { OP_ID: "OP_INSTANCE_QUERY_DATA", instances: ["web1"], static: true },
    "instances_name_info",
  ],
  [
    "POST",
    "/2/instances/web1/reboot?type=soft",
    undefined,
    { OP_ID: "OP_INSTANCE_REBOOT", reboot_type: "soft" },
    "instances_name_reboot",
  ],
  [
    "PUT",
    "/2/instances/web1/startup?force=1",
    { nosuch: 1 },
    { OP_ID: "OP_INSTANCE_STARTUP", force: true },
    "instances_name_startup",
  ],
  [
    "PUT",
    "/2/instances/web1/shutdown",
    { timeout: "0" },
    { OP_ID: "OP_INSTANCE_SHUTDOWN", timeout: 0 },
    "instances_name_shutdown",
  ],
  [
    "POST",
    "/2/instances/web1/replace-disks?mode=replace_auto&disks=0,%201",
    undefined,
    { OP_ID: "OP_INSTANCE_REPLACE_DISKS", mode: "replace_auto", disks: [0, 1] },
    "instances_name_replace_disks",
  ],
  [
    "POST",
    "/2/instances/web1/disk/3/grow",
    { amount: "1g" },
    { OP_ID: "OP_INSTANCE_GROW_DISK", disk: 3, amount: 1024 },
    "instances_name_disk_grow",
  ],
  [
    "PUT",
    "/2/instances/web1/export",
    { destination: "n1", mode: "local" },
    { OP_ID: "OP_BACKUP_EXPORT", target_node: "n1" },
    "instances_name_export",
  ],
  [
    "PUT",
    "/2/instances/web1/modify",
    { custom_beparams: { vcpus: 2 } },
    { OP_ID: "OP_INSTANCE_SET_PARAMS", beparams: { vcpus: 2 } },
    "instances_name_modify",
  ],
  [
    "PUT",
    "/2/instances/web1/tags?tag=a&tag=b",
    ["c"],
    { OP_ID: "OP_TAGS_SET", kind: "instance", name: "web1", tags: ["a", "b"] },
    "instances_name_tags",
  ],
  ["PUT", "/2/tags", ["c"], { OP_ID: "OP_TAGS_SET", kind: "cluster", tags: ["c"] }, "tags"],
  [
    "PUT",
    "/2/modify",
    { candidate_pool_size: 3 },
    { OP_ID: "OP_CLUSTER_SET_PARAMS", candidate_pool_size: 3 },
    "cluster_modify",
  ],
  [
    "PUT",
    "/2/redistribute-config",
    undefined,
    { OP_ID: "OP_CLUSTER_REDIST_CONF" },
    "redist_config",
  ],
];

describe("a request becomes an opcode", () => {
  test.each(cases)("%s %s %j", async (method, path, body, expected, source) => {
    const [opcode, ...more] = await submitted(method, path, body);
    expect(opcode).toMatchObject(expected);
    expect(more).toEqual([]);
    const reasons = opcode?.reason as Json[][];
    expect(reasons.at(-2)?.slice(0, 2)).toEqual([`gnt:library:rlib2:${source}`, ""]);
  });
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
    ...instance,
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

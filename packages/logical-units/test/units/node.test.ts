import { describe, expect, test } from "vitest";
import { refused } from "../support/results.js";
import { simulatedCluster } from "../support/simulated.js";
import { busyCluster } from "./busy-cluster.js";

const set = { OP_ID: "OP_NODE_SET_PARAMS", node_name: "node2" };
const add = { OP_ID: "OP_NODE_ADD", node_name: "node9.example.com", group: "group2" };

test("a new node becomes a candidate if the pool has a place, and its certificate is recorded", async () => {
  const { try: run, config, watched } = await busyCluster();
  expect(await run({ ...add, ndparams: { ssh_port: 2222 } })).toEqual({
    status: "success",
    result: null,
    log: [" - INFO: Node will be a master candidate"],
  });
  const node = config.snapshot.expectNode("node9");
  expect(node).toMatchObject({
    primary_ip: "192.0.2.9",
    secondary_ip: "192.0.2.9",
    master_candidate: true,
    ndparams: { ssh_port: 2222 },
    powered: true,
    vm_capable: true,
  });
  expect(config.snapshot.cluster.candidate_certs[node.uuid]).toMatch(/^[0-9a-f]{32}$/);
  const about = watched.asked.filter((call) => call.startsWith(node.uuid));
  expect(about.map((call) => call.split(" ")[1])).toEqual([
    ...["version", "node_verify", "node_crypto_tokens", "node_ensure_daemon", "write_ssconf_files"],
  ]);
});

test("a new node is a regular one if the pool is full", async () => {
  const { try: run, config } = await busyCluster({}, { candidate_pool_size: 4 });
  expect((await run(add)).log).toEqual([]);
  expect(config.snapshot.expectNode("node9").master_candidate).toBe(false);
});

test.each([
  {
    why: "does not answer",
    answers: { version: () => fail("Connection refused") },
    text: "Can't get version information from node node9.example.com: Connection refused",
  },
  {
    why: "speaks another protocol",
    answers: { version: () => ({ protocol: 2_160_000, release: "2.16" }) },
    text: "Version mismatch master version 3000000, node version 2160000",
  },
  {
    why: "has storage that cannot be used",
    answers: {
      node_verify: () => ({
        physicalVolumes: [{ name: "/dev/x:1", volumeGroup: "xenvg", sizeMib: 1, sharedBy: [] }],
      }),
    },
    text: "Checks on node PVs failed: Invalid character ':' in PV '/dev/x:1' of VG 'xenvg'",
  },
])("a node that $why is not added", async ({ answers, text }) => {
  const { try: run, config } = await busyCluster(answers);
  expect((await run(add)).result).toEqual(refused(text, "environment_error"));
  expect(config.snapshot.findNode("node9")).toBeUndefined();
});

function fail(message: string): never {
  throw new Error(message);
}

test("a readded node is online under its former UUID", async () => {
  const { try: run, config, nodes } = await busyCluster();
  await run({ ...set, offline: true, auto_promote: true });
  const readd = { ...add, node_name: "node2.example.com", readd: true, primary_ip: "192.0.2.2" };
  const { group: _group, ...withoutGroup } = readd;
  expect((await run(withoutGroup)).log).toEqual([
    " - INFO: Readding a node, the offline/drained flags were reset",
    " - INFO: Node will be a master candidate",
  ]);
  expect(config.snapshot.expectNode("node2")).toMatchObject({
    uuid: nodes[1],
    offline: false,
    master_candidate: true,
  });
});

test("a removed node is replaced as candidate by another one", async () => {
  const { try: run, config, watched } = await busyCluster({}, { candidate_pool_size: 3 });
  const isCandidate = (name: string) => config.snapshot.findNode(name)?.master_candidate;
  expect([isCandidate("node3"), isCandidate("node4")]).toEqual([true, false]);
  expect(await run({ OP_ID: "OP_NODE_REMOVE", node_name: "node3" })).toEqual({
    status: "success",
    result: null,
    log: [" - INFO: Promoted nodes to master candidate role: node4.example.com"],
  });
  expect([isCandidate("node3"), isCandidate("node4")]).toEqual([undefined, true]);
  const left = watched.asked.filter((call) => call.endsWith("node_leave_cluster"));
  expect(left).toHaveLength(1);
});

test("a node that does not answer can be removed", async () => {
  const { try: run, config } = await busyCluster({ node_leave_cluster: () => fail("no route") });
  expect((await run({ OP_ID: "OP_NODE_REMOVE", node_name: "node3" })).log).toEqual([
    " - WARNING: Errors encountered on the remote node while leaving the cluster: no route",
  ]);
  expect(config.snapshot.findNode("node3")).toBeUndefined();
});

test("a role is changed, and unsetting a flag that is not set changes nothing", async () => {
  const { try: run, config, watched } = await busyCluster({}, { candidate_pool_size: 2 });
  expect(config.snapshot.expectNode("node2").master_candidate).toBe(true);
  const regular = { master_candidate: false, drained: false, offline: false };
  expect(await run({ ...set, ...regular, auto_promote: true })).toEqual({
    status: "success",
    result: [["master_candidate", "False"]],
    log: [
      " - INFO: Ignoring request to unset flag drained, already unset",
      " - INFO: Ignoring request to unset flag offline, already unset",
      expect.stringMatching(
        /^ - INFO: Promoted nodes to master candidate role: node[34]\.example\.com$/,
      ),
    ],
  });
  expect(watched.asked.filter((call) => call.endsWith("node_demote_from_mc"))).toHaveLength(1);
});

test("a candidate without replacement stays one unless others are promoted", async () => {
  const { try: run } = await busyCluster({}, { candidate_pool_size: 2 });
  expect((await run({ ...set, offline: true })).result).toEqual(
    refused(
      "Not enough master candidates, please pass auto promote option to allow promotion" +
        " (--auto-promote or RAPI auto_promote=True)",
      "wrong_state",
    ),
  );
  expect(await run({ ...set, offline: true, auto_promote: true })).toMatchObject({
    result: [
      ["master_candidate", "False"],
      ["offline", "True"],
    ],
  });
});

test("demoting a candidate warns that too few remain", async () => {
  const { run } = await busyCluster();
  expect(await run({ ...set, master_candidate: false })).toEqual({
    status: "success",
    result: [["master_candidate", "False"]],
    log: ["Configuration data is not consistent: Not enough master candidates: actual 3, target 4"],
  });
});

test("a node that is no longer drained does not become a candidate by itself", async () => {
  const { try: run, config } = await busyCluster();
  await run({ ...set, drained: true });
  expect(config.snapshot.expectNode("node2").drained).toBe(true);
  expect(await run({ ...set, drained: false })).toMatchObject({
    result: [
      ["master_candidate", "True"],
      ["drained", "False"],
    ],
    log: [" - INFO: Auto-promoting node to master candidate"],
  });
});

test("a node returns from offline only if it answers, and with a warning", async () => {
  let isUp = false;
  const { try: run } = await busyCluster({
    version: () => (isUp ? { protocol: 3_000_000, release: "3.0.2" } : fail("no route")),
  });
  await run({ ...set, offline: true });
  expect((await run({ ...set, offline: false })).result).toEqual(
    refused(
      "Node node2.example.com is being de-offlined but fails to report its version: no route",
      "wrong_state",
    ),
  );
  isUp = true;
  expect((await run({ ...set, offline: false })).log).toContain(
    " - WARNING: Transitioning node from offline to online state without using re-add. Please make sure the node is healthy!",
  );
});

test("the certificate of a node that returns as a candidate is fetched", async () => {
  const { try: run, config } = await busyCluster();
  await run({ ...set, offline: true });
  const { uuid } = config.snapshot.expectNode("node2");
  expect(config.snapshot.cluster.candidate_certs[uuid]).toBeUndefined();
  const { log } = await run({ ...set, offline: false });
  expect(JSON.stringify(log)).not.toContain("certificate");
  expect(config.snapshot.expectNode("node2")).toMatchObject({
    master_candidate: true,
    offline: false,
  });
  expect(config.snapshot.cluster.candidate_certs[uuid]).toMatch(/^[0-9a-f]{32}$/);
});

test("capabilities and parameters change independently of the role", async () => {
  const { try: run, config } = await busyCluster();
  const change = { ...set, node_name: "node3", vm_capable: false, ndparams: { spindle_count: 2 } };
  expect(await run(change)).toMatchObject({ result: [["vm_capable", "False"]] });
  expect(config.snapshot.expectNode("node3")).toMatchObject({
    vm_capable: false,
    ndparams: { spindle_count: 2 },
    master_candidate: true,
  });
  expect(
    await run({ ...set, node_name: "node3", ndparams: { spindle_count: "default" } }),
  ).toMatchObject({
    result: [],
  });
  expect(config.snapshot.expectNode("node3").ndparams).toEqual({});
});

test("the master gets a secondary address only with force", async () => {
  const { try: run } = await busyCluster({ node_has_ip_address: () => true });
  const change = { ...set, node_name: "node1", secondary_ip: "198.51.100.1", force: true };
  // Mirrors of a running instance use the address.
  expect((await run(change)).result).toEqual(
    refused(expect.stringContaining("cannot change secondary ip"), "wrong_state"),
  );
  await run({ OP_ID: "OP_INSTANCE_SHUTDOWN", instance_name: "inst1" });
  expect(await run(change)).toMatchObject({ result: [["secondary_ip", "198.51.100.1"]] });
});

test("a node is power cycled, the master only with force", async () => {
  const { try: run } = await busyCluster({
    node_powercycle: () => "Reboot scheduled in 5 seconds",
  });
  const cycle = { OP_ID: "OP_NODE_POWERCYCLE", node_name: "node1", force: true };
  expect(await run(cycle)).toMatchObject({ result: "Reboot scheduled in 5 seconds" });
});

test("instances of a node are migrated by jobs of their own, except unmirrored ones", async () => {
  const { try: run, config, nodes } = await busyCluster();
  const migrate = { OP_ID: "OP_NODE_MIGRATE", node_name: "node1" };
  expect(await run({ ...migrate, node_name: "node2" })).toMatchObject({
    result: { jobs: [] },
    log: [
      " - WARNING: Instance inst2.example.com is not migrated: its disk layout 'plain' does not allow it",
    ],
  });
  expect((await run(migrate)).result).toEqual({ jobs: [[true, expect.any(Number)]] });
  // The job has finished by now.
  expect(config.snapshot.expectInstance("inst1").primary_node).toBe(nodes[1]);
});

describe("node rename", () => {
  const rename = { OP_ID: "OP_NODE_RENAME", node_name: "node2" };

  test("a renamed node keeps UUID, instances and address; hosts and ssconf are updated", async () => {
    const { try: run, config, watched } = await busyCluster({}, { modify_etc_hosts: true });
    const before = config.snapshot.expectNode("node2");
    const instances = config.snapshot.instancesOfNode(before.uuid);
    expect(await run({ ...rename, new_name: "other9.example.com", dry_run: true })).toMatchObject({
      result: "other9.example.com",
    });
    expect(config.snapshot.findNode("node2")).toEqual(before);
    expect(await run({ ...rename, new_name: "other9.example.com" })).toEqual({
      status: "success",
      result: "other9.example.com",
      log: [],
    });
    const after = config.snapshot.expectNode("other9");
    expect(after).toMatchObject({ uuid: before.uuid, primary_ip: before.primary_ip });
    expect(config.snapshot.findNode("node2")).toBeUndefined();
    expect(config.snapshot.instancesOfNode(before.uuid)).toEqual(instances);
    const asked = watched.asked.map((call) => call.split(" ")[1]);
    expect(asked.filter((call) => call === "etc_hosts_modify")).toHaveLength(2);
    expect(asked).toContain("write_ssconf_files");
  });

  test("verification has no findings about a renamed node or its certificate", async () => {
    const { run, config } = await simulatedCluster();
    const verify = { OP_ID: "OP_CLUSTER_VERIFY_GROUP", group_name: "default" };
    await run({ OP_ID: "OP_CLUSTER_RENEW_CRYPTO", node_certificates: true });
    expect(await run({ ...rename, new_name: "other9.example.com" })).toMatchObject({
      status: "success",
    });
    const { uuid } = config.snapshot.expectNode("other9");
    expect(config.snapshot.cluster.candidate_certs).toHaveProperty(uuid);
    const { log } = await run(verify);
    expect(log.filter((line) => /ERROR|certificate .*match/.test(String(line)))).toEqual([]);
  });

  test.each([
    ["node3.example.com", "already_exists", /clashes with existing node/],
    ["node2.example.com", "wrong_input", /^Node node2.example.com has that name already$/],
    ["a b", "wrong_input", /^Invalid hostname 'a b'$/],
  ])("to %s is refused", async (new_name, code, text) => {
    const { try: run } = await busyCluster();
    expect(await run({ ...rename, new_name })).toMatchObject({
      result: refused(expect.stringMatching(text), code),
    });
  });
});

import type { NodeCallArguments } from "@ganeti-ts/node-calls";
import { expect, test } from "vitest";
import { refused } from "../support/results.js";
import { busyCluster } from "./busy-cluster.js";

const creation = {
  ...{ OP_ID: "OP_INSTANCE_CREATE", mode: "create", os_type: "debootstrap+default" },
  ...{ disk_template: "diskless", disks: [], nics: [], pnode: "node1.example.com" },
};

const set = { OP_ID: "OP_CLUSTER_SET_PARAMS" };

test.each([
  ["a creation", { ...creation, instance_name: "new.example.com" }],
  ["a modification", { OP_ID: "OP_INSTANCE_SET_PARAMS", instance_name: "inst1.example.com" }],
])("%s with a NIC to the cluster names the setting that the cluster lacks", async (_, opcode) => {
  const { try: run } = await busyCluster();
  expect((await run({ ...opcode, instance_communication: true })).result).toEqual(
    refused(
      "Instance communication needs a network, and the cluster has none for it;" +
        " see 'gnt-cluster modify --instance-communication-network'",
      "wrong_state",
    ),
  );
});

test("cluster parameters of all kinds are changed at once", async () => {
  const { try: run, config } = await busyCluster();
  const change = {
    ...set,
    candidate_pool_size: 5,
    max_running_jobs: 7,
    beparams: { memory: "1G", vcpus: "2" },
    ndparams: { ssh_port: 2222 },
    nicparams: { link: "br7" },
    mac_prefix: "AA:BB:CC",
    hvparams: { kvm: { acpi: false } },
    diskparams: { drbd: { protocol: "A" } },
    osparams: { gentoo: { mirror: "x" } },
    os_hvp: { gentoo: { kvm: { vga: "std" } } },
    ipolicy: { std: { "cpu-count": 2 }, "vcpu-ratio": 8 },
    uid_pool: [[10, 20]],
    add_uids: [[30, 30]],
    hidden_os: [["add", "old"]],
    maintain_node_health: true,
    enabled_data_collectors: { lv: false },
    data_collector_interval: { lv: 7_000_000 },
    default_iallocator_params: { x: "1" },
    reserved_lvs: ["root"],
  };
  expect(await run({ ...change, dry_run: true })).toMatchObject({ status: "success" });
  expect(config.snapshot.cluster.max_running_jobs).toBe(20);
  const { status, result } = await run(change);
  expect({ status, result }).toEqual({ status: "success", result: null });
  expect(config.snapshot.cluster).toMatchObject({
    candidate_pool_size: 5,
    max_running_jobs: 7,
    mac_prefix: "aa:bb:cc",
    beparams: { default: { maxmem: 1024, minmem: 1024, vcpus: 2 } },
    ndparams: { ssh_port: 2222 },
    nicparams: { default: { link: "br7", mode: "bridged" } },
    hvparams: { kvm: { acpi: false, kernel_args: "ro" } },
    osparams: { gentoo: { mirror: "x" } },
    diskparams: { drbd: { protocol: "A" } },
    os_hvp: { gentoo: { kvm: { vga: "std" } } },
    ipolicy: { std: { "cpu-count": 2, "memory-size": 128 }, "vcpu-ratio": 8 },
    uid_pool: [
      [10, 20],
      [30, 30],
    ],
    hidden_os: ["old"],
    data_collectors: { lv: { active: false, interval: 7_000_000 } },
  });
  // Emptied entries are removed.
  await run({
    ...set,
    osparams: { gentoo: { mirror: "default" } },
    os_hvp: { gentoo: { kvm: null } },
  });
  expect(config.snapshot.cluster).toMatchObject({ osparams: {}, os_hvp: {} });
});

test("values that stay unchanged are logged", async () => {
  const { try: run } = await busyCluster();
  const change = {
    ...set,
    vg_name: "xenvg",
    file_storage_dir: "",
    hidden_os: [["remove", "x"]],
    blacklisted_os: [
      ["add", "y"],
      ["add", "y"],
    ],
  };
  const { log } = await run(change);
  expect(log).toEqual([
    "Cluster LVM configuration already in desired state, not changing",
    "Global file storage dir already set to value ''",
    "OS x not found in hidden OS list, ignoring",
    "OS y already in blacklisted OS list, ignoring",
  ]);
});

test("a larger candidate pool is filled at once", async () => {
  const { try: run, config } = await busyCluster({}, { candidate_pool_size: 2 });
  const { log } = await run({ ...set, candidate_pool_size: 4 });
  expect(log).toHaveLength(1);
  expect(log[0]).toMatch(/^ - INFO: Promoted nodes to master candidate role: node[34].*, node[34]/);
  expect(Array.from(config.snapshot.nodes()).every((node) => node.master_candidate)).toBe(true);
  expect((await run({ ...set, candidate_pool_size: 1 })).log).toEqual([
    " - INFO: Note: more nodes are candidates (4) than desired (1)",
  ]);
});

test("the cluster's address moves to another device of the master", async () => {
  const { try: run, config, watched } = await busyCluster();
  expect((await run({ ...set, master_netdev: "eth1" })).log).toEqual([
    "Shutting down master ip on the current netdev (xen-br0)",
    "Changing master_netdev from xen-br0 to eth1",
    "Starting the master ip on the new master netdev (eth1)",
  ]);
  expect(config.snapshot.cluster.master_netdev).toBe("eth1");
  const master = config.snapshot.cluster.master_node;
  expect(watched.asked.filter((call) => call.endsWith("_master_ip"))).toEqual([
    `${master} node_deactivate_master_ip`,
    `${master} node_activate_master_ip`,
  ]);
});

test.each([
  { given: "hail", single: "hail", lists: undefined },
  { given: "", single: "", lists: undefined },
  { given: { balance: ["hail"] }, single: "hail", lists: { balance: ["hail"] } },
  { given: { allocate: ["hail"] }, single: "hail", lists: { allocate: ["hail"] } },
])("default allocators $given", async ({ given, single, lists }) => {
  const { try: run, config } = await busyCluster();
  await run({ ...set, default_iallocator: given });
  const { default_iallocator, default_iallocators } = config.snapshot.cluster;
  expect({ single: default_iallocator, lists: default_iallocators }).toEqual({ single, lists });
});

test("another default allocator for one request leaves the other requests alone", async () => {
  const { try: run, config } = await busyCluster({}, { default_iallocator: "old" });
  await run({ ...set, default_iallocator: { allocate: ["hail"] } });
  const { default_iallocator, default_iallocators } = config.snapshot.cluster;
  expect(default_iallocator).toBe("hail");
  expect(default_iallocators).toMatchObject({
    allocate: ["hail"],
    relocate: ["old"],
    "node-evacuate": ["old"],
  });
});

test("a job creates and connects the network between instances and their cluster", async () => {
  const { try: run, config } = await busyCluster();
  const { result, log } = await run({ ...set, instance_communication_network: "talk" });
  expect(log).toEqual([
    "Changing instance communication network to 'talk', only new instances will be affected.",
  ]);
  expect(result).toEqual({ jobs: [[true, expect.any(Number)]] });
  // The job has finished by now.
  const { uuid } = config.snapshot.expectNetwork("talk");
  expect(Array.from(config.snapshot.groups()).every(({ networks }) => networks[uuid])).toBe(true);
  expect((await run({ ...set, instance_communication_network: "talk" })).log).toEqual([
    "Instance communication network already is 'talk', nothing to do.",
  ]);
});

test("a renamed cluster keeps its address on the master", async () => {
  const { try: run, config, watched } = await busyCluster();
  const rename = { OP_ID: "OP_CLUSTER_RENAME", name: "other.example.com" };
  expect(await run(rename)).toMatchObject({ result: "other.example.com" });
  expect(config.snapshot.cluster).toMatchObject({
    cluster_name: "other.example.com",
    master_ip: "192.0.2.9",
  });
  expect(watched.asked.filter((call) => call.endsWith("_master_ip"))).toHaveLength(2);
  expect((await run(rename)).result).toEqual(
    refused("Neither the name nor the IP address of the cluster has changed", "wrong_input"),
  );
});

test("keys and certificates are renewed", async () => {
  const keys: unknown[] = [];
  const { try: run, config } = await busyCluster(
    {
      node_ssh_keys_renew: (_, asked: NodeCallArguments<"node_ssh_keys_renew">) => {
        keys.push([asked.names.length, asked.candidates.length, asked.newKeyType]);
        return [];
      },
    },
    { candidate_pool_size: 2 },
  );
  const renew = { OP_ID: "OP_CLUSTER_RENEW_CRYPTO", node_certificates: true, renew_ssh_keys: true };
  expect((await run({ ...renew, ssh_key_type: "ecdsa" })).log).toEqual([
    ...["Renewing Node SSL certificates", "Renewing SSH keys"],
  ]);
  expect(Object.keys(config.snapshot.cluster.candidate_certs)).toHaveLength(2);
  expect(config.snapshot.cluster).toMatchObject({ ssh_key_type: "ecdsa", ssh_key_bits: 384 });
  expect(keys).toEqual([[4, 2, "ecdsa"]]);
});

test("a candidate whose certificate could not be renewed stays listed with the one that it has", async () => {
  const {
    try: run,
    config,
    nodes,
  } = await busyCluster(
    {
      node_crypto_tokens: (node) => {
        if (node === nodes[1]) throw new Error("not there");
        return { digest: "NEW" };
      },
    },
    { candidate_pool_size: 2 },
  );
  const [first, second] = nodes;
  await config.change(({ cluster }) => {
    const candidate_certs = { [String(first)]: "OLD 1", [String(second)]: "OLD 2" };
    return { changes: [{ kind: "cluster", object: { ...cluster, candidate_certs } }], value: null };
  });
  const { log } = await run({ OP_ID: "OP_CLUSTER_RENEW_CRYPTO", node_certificates: true });
  expect(String(log[1])).toContain("could not be fetched");
  const { candidate_certs } = config.snapshot.cluster;
  expect(Object.keys(candidate_certs).sort()).toEqual([first, second].sort());
  expect(candidate_certs[String(second)]).toBe("OLD 2");
  expect(candidate_certs[String(first)]).not.toBe("OLD 1");
});

test("the cluster query and the config query return their values", async () => {
  const { try: run } = await busyCluster();
  const { result } = await run({ OP_ID: "OP_CLUSTER_QUERY" });
  expect(result).toMatchObject({ name: "cluster.example.com", master: "node1.example.com" });
  expect(Object.keys((result as unknown as { hvparams: object }).hvparams)).toEqual(["kvm"]);
  const fields = ["name", "volume_group_name", "watcher_pause"];
  expect(await run({ OP_ID: "OP_CLUSTER_CONFIG_QUERY", output_fields: fields })).toMatchObject({
    result: ["cluster.example.com", "xenvg", null],
  });
});

test.each([
  { id: "OP_CLUSTER_POST_INIT", result: true },
  { id: "OP_CLUSTER_REDIST_CONF", result: null },
  { id: "OP_CLUSTER_ACTIVATE_MASTER_IP", result: null },
  { id: "OP_CLUSTER_DEACTIVATE_MASTER_IP", result: null },
])("$id succeeds", async ({ id, result }) => {
  const { try: run } = await busyCluster();
  expect(await run({ OP_ID: id })).toMatchObject({ status: "success", result });
});

test("disk sizes are corrected to those measured on nodes, children included", async () => {
  const {
    try: run,
    config,
    nodes,
  } = await busyCluster({
    blockdev_getdimensions: (_, { disks }: { disks: readonly { dev_type: string }[] }) =>
      disks.map(({ dev_type }) => (dev_type === "drbd" ? { sizeMib: 2048, spindles: null } : null)),
  });
  const { result, log } = await run({ OP_ID: "OP_CLUSTER_REPAIR_DISK_SIZES" });
  expect(result).toEqual([
    ["inst1.example.com", 0, "size", 2048],
    ["inst1.example.com", 0, "size", 2048],
  ]);
  expect(log).toContain(
    " - INFO: Disk 0 of instance inst1.example.com has mismatched size, correcting: recorded 1024, actual 2048",
  );
  expect(log).toContain(" - INFO: Child disk has size 1024, parent 2048, fixing");
  expect(log).toContain(
    " - WARNING: Disk 0 of instance inst2.example.com did not return size information, ignoring",
  );
  const [disk] = config.snapshot.disksOf(config.snapshot.expectInstance("inst1"));
  expect(disk).toMatchObject({ size: 2048, children: [{ size: 2048 }, { size: 128 }] });
  expect(nodes).toHaveLength(4);
});

test.each(["/etc", "/home/disks", "/usr/local/lib"])(
  "disks in files may not lie in %s, which belongs to the system",
  async (directory) => {
    const { run } = await busyCluster({}, { enabled_disk_templates: ["plain", "drbd", "file"] });
    const set = { OP_ID: "OP_CLUSTER_SET_PARAMS", file_storage_dir: directory };
    expect((await run(set)).result).toEqual(
      refused(
        `The file storage directory must not be a system directory: ${directory}`,
        "wrong_input",
      ),
    );
    expect((await run({ ...set, file_storage_dir: "/etcetera/disks" })).status).toBe("success");
  },
);

test("disk parameters may be given for all templates, and by their names in the 2.1 design", async () => {
  const { run, config } = await busyCluster();
  const set = (diskparams: object) => run({ OP_ID: "OP_CLUSTER_SET_PARAMS", diskparams } as never);
  expect(
    await set({
      default: { metavg: "xenvg", access: "userspace" },
      rbd: { access: "kernelspace" },
      drbd: { meta_flushes: true, data_flushes: "bf" },
    }),
  ).toMatchObject({ status: "success", result: null });
  expect(config.snapshot.cluster.diskparams).toMatchObject({
    drbd: { metavg: "xenvg", "meta-barriers": true, "disk-barriers": "bf" },
    gluster: { access: "userspace" },
    ext: { access: "userspace" },
    rbd: { access: "kernelspace" },
  });
  expect(config.snapshot.cluster.diskparams).not.toHaveProperty("default");
  expect((await set({ default: { nosuch: 1 } })).status).toBe("error");
});

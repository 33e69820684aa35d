// Optional arguments of node calls: what no operation sends is missing on real nodes.
import type { JsonObject } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { noting, optionalArguments } from "../support/optional-arguments.js";
import { simulatedCluster } from "../support/simulated.js";
import { moved, twoClusters } from "../support/two-clusters.js";

/** Why no operation sends these. */
const unsent: { readonly [path: string]: string } = {
  "instance_list.others": "Ganeti's master sends them; nodes use those of the queried hypervisors",
  "all_instances_info.others": "as instance_list.others",
  "hotplug_device.what.extra.uri":
    "simulated disks have none; nodes answer it for userspace access",
  "blockdev_snapshot.name": "the node chooses the name, as for Ganeti's master",
  "blockdev_snapshot.sizeMib": "a snapshot has the size that the node gives it",
  "upload_file_single.mode": "sent by the distribution of config.data, in the package cluster",
  "set_watcher_pause.until": "sent by the object cluster, in the package of that name",
  "disk.ends": "filled by the back end",
  "disk.pci": "kept by nodes in the runtime of an instance; read from Ganeti's master",
  "disk.hvinfo": "as disk.pci",
  "disk.forthcoming": "only existing objects are sent; read from Ganeti's master",
  "nic.pci": "as disk.pci",
  "nic.hvinfo": "as disk.pci",
  "instance.forthcoming": "as disk.forthcoming",
};

const physicalVolumes = Object.fromEntries(
  ["a", "b", "c", "d", "e"].map((of) => [`/dev/sd${of}`, 9000]),
);

const web = { instance_name: "web1.example.com" };
const network = { network_name: "net1" };
const creation = {
  ...{ OP_ID: "OP_INSTANCE_CREATE", mode: "create", os_type: "noop+default", hypervisor: "kvm" },
  ...{ pnode: "node1", ip_check: false, name_check: false },
};
const verification = {
  OP_ID: "OP_CLUSTER_VERIFY_GROUP",
  group_name: "default",
  verify_clutter: true,
};

const opcodes: readonly JsonObject[] = [
  { OP_ID: "OP_NETWORK_ADD", ...network, network: "198.51.100.0/24" },
  {
    ...{ OP_ID: "OP_NETWORK_CONNECT", ...network, group_name: "default" },
    ...{ network_mode: "bridged", network_link: "xen-br0" },
  },
  {
    ...{ ...creation, ...web, disk_template: "drbd", snode: "node2" },
    disks: [{ size: 1024, name: "data" }],
    nics: [{ network: "net1", ip: "pool", name: "front" }],
  },
  {
    ...{ OP_ID: "OP_INSTANCE_SET_PARAMS", ...web },
    ...{ disks: [["add", -1, { size: 1024 }]], nics: [["add", -1, {}]] },
  },
  { OP_ID: "OP_BACKUP_EXPORT", ...web, mode: "local", target_node: "node3", shutdown: false },
  { OP_ID: "OP_INSTANCE_REBOOT", ...web, reboot_type: "hard" },
  { OP_ID: "OP_INSTANCE_SHUTDOWN", ...web },
  { OP_ID: "OP_CLUSTER_REDIST_CONF" },
  {
    ...{ OP_ID: "OP_NODE_QUERY_STORAGE", storage_type: "lvm-pv", nodes: [] },
    ...{ output_fields: ["name"], name: "/dev/sda" },
  },
  { OP_ID: "OP_NODE_SET_PARAMS", node_name: "node3", vm_capable: false, force: true },
  {
    ...{ OP_ID: "OP_CLUSTER_SET_PARAMS", use_external_mip_script: true },
    ndparams: { exclusive_storage: true, ovs: true, ovs_name: "switch1", ovs_link: "eth1" },
  },
  {
    ...{ ...creation, instance_name: "web2.example.com", disk_template: "plain" },
    ...{ disks: [{ size: 1024, spindles: 1 }], nics: [{}] },
  },
  { OP_ID: "OP_NODE_ADD", node_name: "node4.example.com", primary_ip: "192.0.2.4" },
  verification,
];

test("each optional argument of a node call is sent by an operation, or a reason says why not", async () => {
  const senders = new Map<string, string>();
  let current = "";
  const between = noting(senders, () => current);
  const { run, simulated, nodes } = await simulatedCluster({
    ...{ nodeCount: 3, between },
    host: { volumeGroups: { xenvg: physicalVolumes } },
    cluster: { modify_etc_hosts: true, modify_ssh_setup: true },
    initial: { diskTemplates: ["drbd", "plain", "file"] },
  });
  await simulated.addHost({ name: "node4.example.com" });
  const file = { path: "/var/lib/ganeti/hmac.key", content: "secret\n", mode: 0o400 };
  const attributes = { owner: "root", group: "root", accessedAt: 0, modifiedAt: 0 };
  const caller = { lease: "1:1", signal: new AbortController().signal };
  await simulated.call(nodes[0] ?? "", "upload_file", { ...file, ...attributes }, caller);
  for (const opcode of opcodes) {
    current = String(opcode.OP_ID);
    const { status, result } = await run(opcode);
    expect([current, status, status === "success" || result]).toEqual([current, "success", true]);
  }
  current = "OP_BACKUP_EXPORT or OP_INSTANCE_CREATE between clusters";
  await moved(await twoClusters({ between }));

  const lines = [...optionalArguments()].map(
    (path) => `${path}: ${senders.get(path) ?? `none: ${unsent[path] ?? "NO REASON IS NAMED"}`}\n`,
  );
  await expect(lines.join("")).toMatchFileSnapshot("../golden/optional-arguments.txt");
  expect(lines.filter((line) => line.includes("NO REASON"))).toEqual([]);
  expect(Object.keys(unsent).filter((path) => senders.has(path))).toEqual([]);
});

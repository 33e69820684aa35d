// Seen to fail without split instances, with secondaries that are never offline, with disks that are never
// external, and with all instances that run taken for usual ones.
import { initialConfiguration, Snapshot } from "@ganeti-ts/config";
import { answered, type NodeBackend } from "@ganeti-ts/node-calls";
import type { DiskObject, NodeUuid, RealInstance } from "@ganeti-ts/protocol";
import { Dice } from "@ganeti-ts/testkit";
import { expect, test } from "vitest";
import { lookAtGroup } from "./group-view.js";

const content = initialConfiguration({
  clusterName: "cluster.example.com",
  groups: [{ name: "default" }, { name: "other" }],
  nodes: ["node0", "node1", "node2", "node3"].map((name, at) => ({
    name: `${name}.example.com`,
    primary_ip: `192.0.2.${at + 1}`,
    group: at === 3 ? "other" : "default",
  })),
  cluster: {},
  random: new Dice(1),
  now: 1,
});
const uuids = content.nodes.map(({ uuid }) => uuid as NodeUuid);

/** On the first node, with a disk that these nodes mirror, or that a provider has. */
function placed(name: string, mirror: number | undefined, changes: Partial<RealInstance> = {}) {
  const isExternal = mirror === undefined;
  const disk = {
    ...{ uuid: `disk-${name}`, dev_type: isExternal ? "ext" : "drbd", size: 1, children: [] },
    logical_id: isExternal ? ["provider", name] : [uuids[0], uuids[mirror], 11_000, 0, 0, "secret"],
    ...{ nodes: isExternal ? [] : [uuids[0], uuids[mirror]], mode: "rw", params: {} },
  } as unknown as DiskObject;
  const instance = {
    ...{ uuid: `uuid-${name}`, name, primary_node: uuids[0], disks: [disk.uuid], tags: [] },
    ...{ admin_state: "up", admin_state_source: "admin", disks_active: true, hypervisor: "kvm" },
    ...{ os: "noop", hvparams: {}, osparams: {}, beparams: {}, nics: [] },
    ...changes,
  } as unknown as RealInstance;
  return { instance, disk };
}

test("a group shows its instances with their status and nodes, and those that are split", async () => {
  const made = [
    placed("mirrored", 1),
    placed("degraded", 2, { disks_active: false }),
    placed("split", 3),
    placed("external", undefined, { admin_state: "down" }),
  ];
  const now = Snapshot.of({
    ...content,
    nodes: content.nodes.map((node, at) => ({ ...node, offline: at === 2 })),
    instances: made.map(({ instance }) => instance),
    disks: made.map(({ disk }) => disk),
  });
  const running = (node: string) =>
    node === uuids[0] ? { degraded: { state: "running" } } : { mirrored: { state: "running" } };
  const backend: NodeBackend = {
    introduce: async () => {},
    call: async (node, name) =>
      answered(name === "node_info" ? { bootId: "boot" } : running(node)) as never,
  };
  const [group] = [...now.groups()].filter(({ name }) => name === "default");
  const view = await lookAtGroup(now, group as never, backend);
  const { instances, split, nodes } = view;
  const shown = instances.map((one) => ({
    ...{ name: one.name, status: one.status, adminState: one.adminState },
    ...{ disksActive: one.disksActive, secondaries: one.secondaries },
    ...{ hasOfflineSecondary: one.hasOfflineSecondary, isExternal: one.isExternal },
  }));
  const usual = { adminState: "up", disksActive: true, hasOfflineSecondary: false };
  const local = { ...usual, isExternal: false };
  expect(shown.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
    {
      ...{ ...local, name: "degraded", status: "running", disksActive: false },
      ...{ secondaries: ["node2.example.com"], hasOfflineSecondary: true },
    },
    {
      ...{ ...usual, name: "external", status: "ADMIN_down", adminState: "down" },
      ...{ secondaries: [], isExternal: true },
    },
    { ...local, name: "mirrored", status: "ERROR_wrongnode", secondaries: ["node1.example.com"] },
  ]);
  expect(view.unusual.map(({ name }) => name).sort()).toEqual(["external", "mirrored"]);
  expect(view.isExternal).toBe(false);
  expect(split).toEqual(["split"]);
  expect(nodes.map(({ bootId }) => bootId)).toEqual(["boot", "boot", "boot"]);
});

// Each case was seen to fail with a broken copy: one that ignores split instances, offline secondaries, external disks, guests
// shut down by their users or offline nodes, or that takes every running instance for a usual one.
import { initialConfiguration, Snapshot } from "@ganeti-ts/config";
import { answered, type NodeBackend } from "@ganeti-ts/node-calls";
import type { DiskObject, NodeUuid, RealInstance } from "@ganeti-ts/protocol";
import { Dice } from "@ganeti-ts/testkit/simulation";
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

/** An instance on the first node, with a disk mirrored on the given node, or from an external provider. */
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

const products = <A, B>(some: readonly A[], others: readonly B[]): [A, B][] =>
  some.flatMap((a) => others.map((b): [A, B] => [a, b]));

test("every instance that is not running as it should is unusual, whatever nodes answer", async () => {
  const states = ["up", "down", "offline"].flatMap((admin_state) =>
    ["admin", "user"].map((admin_state_source) => ({ admin_state, admin_state_source })),
  );
  const clusters = [false, true].flatMap((offline) =>
    [false, true].map((enabled_user_shutdown) => ({ offline, enabled_user_shutdown })),
  );
  const answers = products(["fails", "none", "running", "paused", "shutdown"], ["none", "running"]);
  let usual = 0;
  for (const [[wanted, { offline, enabled_user_shutdown }], [first, second]] of products(
    products(states, clusters),
    answers,
  )) {
    const { instance, disk } = placed("one", 1, wanted as Partial<RealInstance>);
    const now = Snapshot.of({
      ...{ ...content, cluster: { ...content.cluster, enabled_user_shutdown } },
      nodes: content.nodes.map((node, at) => ({ ...node, offline: offline && at === 0 })),
      ...{ instances: [instance], disks: [disk] },
    });
    const answerOf = (uuid: string) => (uuid === uuids[0] ? first : second);
    const backend = {
      introduce: async () => {},
      call: async (node: string, name: string) => {
        const state = answerOf(node);
        if (name === "node_info") return answered({ bootId: "boot" });
        if (state === "fails") return { ok: false, offline, message: "no answer" };
        return answered(state === "none" || node === uuids[2] ? {} : { one: { state } });
      },
    } as unknown as NodeBackend;
    const [group] = [...now.groups()].filter(({ name }) => name === "default");
    const { instances, unusual } = await lookAtGroup(now, group as never, backend);
    const [seen] = instances;
    const label = `${JSON.stringify(wanted)} ${offline} ${enabled_user_shutdown} ${first} ${second}`;
    expect(seen?.name, label).toBe("one");
    if (unusual.length > 0) {
      expect(unusual[0], label).toMatchObject({ name: "one", status: seen?.status });
    } else {
      expect(seen?.status, label).toBe("running");
      usual++;
    }
  }
  expect(usual).toBeGreaterThan(10);
});

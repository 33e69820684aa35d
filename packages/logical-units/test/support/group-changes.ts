/** Random changes of instances, disks, nodes and parameters of a cluster with three groups. */
import { type ConfigChange, initialConfiguration, Snapshot } from "@ganeti-ts/config";
import type { GroupObject, InstanceUuid, NodeUuid, RealInstance } from "@ganeti-ts/protocol";
import { Dice } from "@ganeti-ts/testkit/simulation";
import * as fc from "fast-check";

const uuid = (kind: number, at: number) =>
  `0000000${kind}-0000-4000-8000-${String(at).padStart(12, "0")}`;

const content = initialConfiguration({
  clusterName: "cluster.example.com",
  groups: [{ name: "default" }, { name: "other" }, { name: "third" }],
  nodes: [0, 1, 2, 3, 4].map((at) => ({
    name: `node${at}.example.com`,
    primary_ip: `192.0.2.${at + 1}`,
    group: at < 3 ? "default" : "other",
  })),
  random: new Dice(1),
  now: 1,
});
const nodes = content.nodes.map((node) => node.uuid);

const put = (type: string, object: object): ConfigChange =>
  ({ kind: "put", type, object }) as unknown as ConfigChange;

type Kind = "active" | "inactive" | "forthcoming";

const instance = (at: number, primary: number, disks: readonly number[], kind: Kind) =>
  put("instance", {
    uuid: uuid(1, at) as InstanceUuid,
    name: `instance${at}.example.com`,
    primary_node: nodes[primary] as NodeUuid,
    disks: disks.map((disk) => uuid(2, 2 * at + disk)),
    disks_active: kind !== "inactive",
    ...(kind === "forthcoming" && { forthcoming: true }),
    ...{ nics: [], tags: [] },
  } as unknown as RealInstance);

const volume = (at: number, name: string) => ({
  uuid: `${uuid(3, at)}${name}`,
  dev_type: "plain",
  logical_id: ["xenvg", `volume${at}.${name}`],
  ...{ size: 1, children: [], nodes: [] },
});

const disk = (at: number, ends: readonly number[], isMirror: boolean, size: number) => {
  const ofNodes = (isMirror ? ends : ends.slice(0, 1)).map((end) => nodes[end]);
  const common = { uuid: uuid(2, at), size, nodes: ofNodes, params: {} };
  return put(
    "disk",
    isMirror
      ? {
          ...common,
          ...{ dev_type: "drbd", logical_id: [...ofNodes, 11000 + at, 0, 1, "secret"] },
          children: [volume(at, "data"), volume(at, "meta")],
        }
      : { ...common, ...volume(at, "data"), uuid: uuid(2, at), nodes: ofNodes },
  );
};

const member = (at: number, group: number) =>
  put("node", { ...content.nodes[at], group: (content.groups[group] as GroupObject).uuid });

const diskparams = (barriers: string) =>
  ({
    kind: "cluster",
    object: { ...content.cluster, diskparams: { drbd: { "disk-barriers": barriers } } },
  }) as unknown as ConfigChange;

const groupDiskparams = (barriers: string) =>
  put("group", {
    ...content.groups[0],
    diskparams: { drbd: { "disk-barriers": barriers } },
  });

const node = fc.nat(4);
const kind = fc.constantFrom<Kind[]>("active", "active", "active", "inactive", "forthcoming");
const barriers = fc.constantFrom("n", "bf");

/** Steps of a few changes each. */
export const changesOfGroups = fc.array(
  fc.array(
    fc.oneof(
      {
        weight: 4,
        arbitrary: fc
          .tuple(fc.nat(5), node, fc.subarray([0, 1]), kind)
          .map((parts) => instance(...parts)),
      },
      {
        weight: 4,
        arbitrary: fc
          .tuple(fc.nat(11), fc.tuple(node, node), fc.boolean(), fc.nat(3))
          .map((parts) => disk(...parts)),
      },
      { weight: 2, arbitrary: fc.tuple(node, fc.nat(2)).map((parts) => member(...parts)) },
      { weight: 1, arbitrary: barriers.map(diskparams) },
      { weight: 1, arbitrary: barriers.map(groupDiskparams) },
      {
        weight: 1,
        arbitrary: fc
          .nat(5)
          .map((at): ConfigChange => ({ kind: "remove", type: "instance", uuid: uuid(1, at) })),
      },
      {
        weight: 1,
        arbitrary: fc
          .nat(11)
          .map((at): ConfigChange => ({ kind: "remove", type: "disk", uuid: uuid(2, at) })),
      },
    ),
    { maxLength: 6 },
  ),
  { maxLength: 8 },
);

/** Active instances with a mirrored disk each. */
const begin = (): Snapshot =>
  Snapshot.of(content).with(
    [0, 1, 2, 3, 4, 5].flatMap((at) => [
      instance(at, at % 5, [0], "active"),
      disk(2 * at, [at % 5, (at + 1) % 5], true, 1),
    ]),
    { serial: 2, mtime: 2 },
  );

/** Each snapshot with its group `default`, and a copy of the group, for which nothing is kept. */
export function* snapshotsAfter(
  steps: readonly (readonly ConfigChange[])[],
): Generator<{ readonly now: Snapshot; readonly group: GroupObject; readonly fresh: GroupObject }> {
  let now = begin();
  for (const changes of steps) {
    now = now.with(changes, { serial: now.serial + 1, mtime: now.mtime });
    const group = now.expectGroup("default");
    yield { now, group, fresh: { ...group } };
  }
}

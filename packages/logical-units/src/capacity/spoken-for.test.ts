// Seen to fail without instances that changed, without those of a changed disk, without reservations that were dropped,
// and with unchanged instances of a configuration that was read again.
import { type ConfigChange, initialConfiguration, Snapshot, shareOf } from "@ganeti-ts/config";
import type { InstanceObject, NodeUuid } from "@ganeti-ts/protocol";
import { Dice } from "@ganeti-ts/testkit/simulation";
import { expect, test } from "vitest";
import { intervalOf, spokenFor } from "./spoken-for.js";

const uuid = (kind: number, at: number) =>
  `0000000${kind}-0000-4000-8000-${String(at).padStart(12, "0")}`;

const dice = new Dice(20);
const first = Snapshot.of(
  initialConfiguration({
    clusterName: "cluster.example.com",
    nodes: [1, 2, 3].map((at) => ({
      name: `node${at}.example.com`,
      primary_ip: `192.0.2.${at}`,
    })),
    random: { fraction: () => dice.fraction() },
    now: 1,
  }),
);
const nodes = Array.from(first.nodes(), (node) => node.uuid);

/** Adds, changes, moves or removes an instance, its disk, or both. */
function changed(now: Snapshot): Snapshot {
  const at = dice.between(1, 8);
  const [serial_no, salt] = [now.serial + 1, dice.between(0, 2)];
  const own = [nodes[salt], nodes[(salt + 1) % 3]];
  const disk = {
    ...{ uuid: uuid(2, at), dev_type: "drbd", nodes: own, size: dice.between(1, 9), serial_no },
    ...{ logical_id: [...own, 11_000 + at, at, at, `secret${at}`], children: [], params: {} },
  };
  const forthcoming = dice.chance(0.4) ? { forthcoming: true } : {};
  const instance = {
    ...{ uuid: uuid(1, at), name: `web${at}`, primary_node: own[0], disks: [disk.uuid], nics: [] },
    ...{ beparams: { maxmem: dice.between(1, 9) }, hypervisor: "kvm", admin_state: "up" },
    ...{ serial_no, osparams: {}, ...forthcoming },
  };
  const put = (type: string, object: object) => ({ kind: "put", type, object });
  const gone = (type: string, of: string) => ({ kind: "remove", type, uuid: of });
  const isKnown = now.instance(instance.uuid as never) !== undefined;
  const both = [put("disk", disk), put("instance", instance)];
  const others = [[put("disk", disk)], [gone("instance", instance.uuid), gone("disk", disk.uuid)]];
  const changes = isKnown ? dice.pick([both, ...others]) : both;
  return now.with(changes as unknown as readonly ConfigChange[], { serial: serial_no, mtime: 1 });
}

/** MiB of memory and whether they are doubtful, by the definition: all instances of the node one by one. */
function byDefinition(before: Snapshot, now: Snapshot, node: NodeUuid) {
  const of = (where: Snapshot, one: InstanceObject) => shareOf(where, one, node);
  const all = (where: Snapshot) =>
    [...where.instances()].filter((one) => {
      const { primary, secondary } = where.instancesOfNode(node);
      return primary.includes(one) || secondary.includes(one);
    });
  const serials = (where: Snapshot, one: InstanceObject) => {
    const there = where.instance(one.uuid);
    const disks = one.disks.map((disk) => where.disk(disk)?.serial_no);
    return there && !there.forthcoming && [there.serial_no, ...disks].join();
  };
  const isNew = (one: InstanceObject) => serials(before, one) !== serials(now, one);
  const reserved = all(now).filter((one) => one.forthcoming);
  const doubtful = [
    ...all(now).filter((one) => !one.forthcoming && isNew(one)),
    ...all(before).filter((one) => one.forthcoming && now.instance(one.uuid) === undefined),
  ];
  const shares = [
    ...[...reserved, ...doubtful.filter((one) => now.instance(one.uuid))].map((one) =>
      of(now, one),
    ),
    ...doubtful.filter((one) => !now.instance(one.uuid)).map((one) => of(before, one)),
  ];
  const diskMib = shares.flatMap((one) => Object.values(one.diskMib));
  return {
    memoryMib: shares.reduce((sum, one) => sum + one.memoryMib, 0),
    diskMib: diskMib.reduce((sum, one) => sum + one, 0),
    isDoubtful: doubtful.length > 0,
  };
}

test("the shares promised on a node equal those of all its instances, whatever has changed since", () => {
  const seen = { reserved: 0, doubtful: 0, nothing: 0 };
  for (let round = 0; round < 300; round++) {
    let before = first;
    for (let step = dice.between(0, 8); step > 0; step--) before = changed(before);
    let now = before;
    for (let step = dice.between(0, 3); step > 0; step--) now = changed(now);
    // As if the configuration had been read again: no object is shared with the earlier snapshot.
    if (dice.chance(0.3)) now = Snapshot.of(structuredClone(now.content()));
    for (const node of nodes) {
      const spoken = spokenFor(intervalOf(before, now), node, new Set());
      const sizes = Object.values(spoken.diskMib);
      const diskMib = sizes.reduce((sum, one) => sum + one, 0);
      const { memoryMib, isDoubtful } = spoken;
      expect({ memoryMib, diskMib, isDoubtful }).toEqual(byDefinition(before, now, node));
      seen[isDoubtful ? "doubtful" : memoryMib > 0 ? "reserved" : "nothing"]++;
    }
  }
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(50);
});

import {
  type DiskObject,
  type InstanceObject,
  JobId,
  NetworkUuid,
  type NodeObject,
  type Random,
} from "@ganeti-ts/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  allocatePort,
  type ConfigChange,
  capacityFaults,
  consistencyFaults,
  drbdMinors,
  externalAddresses,
  faultsOfChanges,
  filledBeparams,
  generateMac,
  namesOfClaim,
  newAddressPool,
  nextFreeAddress,
  poolChanges,
  removalChanges,
  reservedOn,
  Snapshot,
  spaceOf,
  type Wanted,
} from "../src/index.js";
import { stamped } from "../src/stamping.js";
import { aCluster, aDrbdDisk, anInstance, aPlainDisk, put, seeded } from "./cluster.js";
import {
  allToCome,
  creationChanges,
  droppedCreations,
  realChanges,
  reservationChanges,
  type ToCome,
} from "./holds.js";

const memoryTotalMib = 4096;
const diskTotalMib = 40_000;
const cpuCount = 4;

/** Resources that real instances leave on a node, computed from scratch. */
function figuresOf(now: Snapshot, node: NodeObject) {
  let [memoryFreeMib, diskFreeMib] = [memoryTotalMib, diskTotalMib];
  for (const instance of now.instances()) {
    if (instance.forthcoming) continue;
    const own = shareOf(now, instance, node);
    memoryFreeMib -= own.memoryMib;
    diskFreeMib -= own.diskMib.xenvg;
  }
  return { memoryFreeMib, diskFreeMib: { xenvg: diskFreeMib }, cpuCount };
}

/** Resources that an instance uses on a node once it is real. */
function shareOf(
  now: Snapshot,
  instance: InstanceObject,
  node: NodeObject,
  all: readonly DiskObject[] = now.disksOf(instance),
) {
  const isPrimary = instance.primary_node === node.uuid;
  const filled = filledBeparams(now, instance);
  const disks = all.filter(({ nodes }) => nodes.includes(node.uuid));
  const spaces = disks.map((disk) => spaceOf(now, disk).xenvg ?? 0);
  return {
    memoryMib: isPrimary ? filled.maxmem : 0,
    vcpus: isPrimary ? filled.vcpus : 0,
    diskMib: { xenvg: spaces.reduce((a, b) => a + b, 0) },
  };
}

/** A network with few addresses, so that they run out. */
const network = {
  uuid: NetworkUuid.parse("22222222-2222-4222-8222-222222222222"),
  name: "net",
  network: "198.51.100.0/28",
  tags: [],
  ...newAddressPool("198.51.100.0/28"),
};

const begin = (random: Random): Snapshot =>
  Snapshot.of({ ...aCluster({ random }), networks: [network] });

const event = fc.record({
  kind: fc.constantFrom(
    ...([
      "reserve",
      "hold",
      "hold",
      "commit",
      "commit",
      "die",
      "grow",
      "move",
      "move",
      "remove",
      "fail",
    ] as const),
  ),
  which: fc.nat(1000),
  where: fc.nat(1000),
  size: fc.integer({ min: 1, max: 8 }),
});
type Event = typeof event extends fc.Arbitrary<infer E> ? E : never;

const fits = (now: Snapshot, wanted: readonly Wanted[]): boolean =>
  wanted.every((one) => {
    const node = now.expectNode(one.node);
    return capacityFaults(now, figuresOf(now, node), one).length === 0;
  });

const pick = <T>(from: Iterable<T>, at: number): T | undefined => {
  const list = [...from];
  return list[at % Math.max(list.length, 1)];
};

/** A whole instance on one node, or on two; undefined if it has no room or no address. */
function creation(now: Snapshot, random: Random, { which, where, size }: Event) {
  const [node, other] = [pick(now.nodes(), where), pick(now.nodes(), where + 1)];
  if (node === undefined || other === undefined) throw new Error("there are nodes");
  const sizeMib = size * 1024;
  const beparams = { maxmem: size * 128, minmem: size * 64, vcpus: size };
  const console_ = allocatePort(now.cluster);
  const forDisk = allocatePort(console_.cluster);
  const isDrbd = which % 2 === 0;
  const [minorA = 0, minorB = 0] = drbdMinors(now, [node.uuid, other.uuid]);
  const drbd = aDrbdDisk(
    random,
    [node.uuid, other.uuid],
    { port: forDisk.port, minors: [minorA, minorB] },
    { size: sizeMib },
  );
  const disk = isDrbd
    ? {
        ...drbd,
        children: drbd.children.map((child, i) => ({ ...child, size: i ? 128 : sizeMib })),
      }
    : aPlainDisk(random, node.uuid, { size: sizeMib });
  const pool = now.expectNetwork("net");
  const isFull = !/0/.test(pool.reservations.slice(1, -1));
  if (isFull) return undefined;
  const nic = {
    uuid: disk.uuid,
    mac: generateMac(now, random, pool),
    nicparams: {},
    ip: nextFreeAddress(pool),
    network: pool.uuid,
  };
  const instance = anInstance(random, `i-${disk.uuid}`, node.uuid, {
    // Real instances run, so their vcpus count.
    beparams,
    disks: [disk.uuid],
    nics: [nic],
    network_port: console_.port,
    admin_state: "up",
  });
  const diskMib = { xenvg: sizeMib + (isDrbd ? 128 : 0) };
  const reason = `creating instance ${instance.name}`;
  const wanted: Wanted[] = [
    { node: node.uuid, reason, memoryMib: beparams.maxmem, vcpus: size, diskMib },
    ...(isDrbd ? [{ node: other.uuid, reason, diskMib }] : []),
  ];
  const cluster = isDrbd ? forDisk.cluster : console_.cluster;
  const claims: ConfigChange[] = [
    ...poolChanges(now, [], instance.nics),
    { kind: "cluster", object: cluster },
  ];
  return { instance, disk, wanted, claims };
}

/** Another form of a reservation, or of the claim of a creation. */
const changed = (
  { claim }: ToCome,
  instance: ToCome["instance"],
  disks: ToCome["disks"],
): readonly ConfigChange[] =>
  claim === undefined
    ? [put("instance", instance), ...disks.map((disk) => put("disk", disk))]
    : [put("claim", { ...claim, instance, disks })];

/** The changes of an event, if it is accepted. */
function outcome(now: Snapshot, random: Random, happening: Event): readonly ConfigChange[] {
  const { kind, which, where, size } = happening;
  const target = pick(allToCome(now), which);
  switch (kind) {
    case "reserve":
    case "hold": {
      const made = creation(now, random, happening);
      if (made === undefined || !fits(now, made.wanted)) return [];
      const { instance, disk } = made;
      if (kind === "hold")
        return [...creationChanges(instance, [disk], JobId.parse(which)), ...made.claims];
      const children = disk.children.map((child) => ({ ...child, forthcoming: true }));
      return [
        put("instance", { ...instance, forthcoming: true }),
        put("disk", { ...disk, forthcoming: true, children }),
        ...made.claims,
      ];
    }
    case "commit":
      return target === undefined ? [] : realChanges(now, target.instance.uuid);
    case "fail": {
      const real = pick(
        [...now.instances()].filter((one) => !one.forthcoming),
        which,
      );
      return real === undefined ? [] : reservationChanges(now, real.uuid);
    }
    case "die":
      return droppedCreations(now, (job) => job % 2 === which % 2);
    case "remove": {
      const gone = pick(now.instances(), which);
      return gone === undefined ? [] : removalChanges(now, [gone.uuid]);
    }
    case "grow": {
      if (target?.instance.primary_node === undefined) return [];
      const { instance, disks } = target;
      const maxmem = filledBeparams(now, instance).maxmem + size * 64;
      const wanted: Wanted = {
        node: target.instance.primary_node,
        reason: "growing",
        memoryMib: maxmem,
        of: [instance.uuid],
      };
      if (!fits(now, [wanted])) return [];
      return changed(target, { ...instance, beparams: { ...instance.beparams, maxmem } }, disks);
    }
    case "move": {
      const node = pick(now.nodes(), where);
      const [disk] = target === undefined ? [] : target.disks;
      if (target === undefined || node === undefined || disk?.dev_type !== "plain") return [];
      const { instance, disks } = target;
      const share = shareOf(now, instance, now.expectNode(instance.primary_node ?? ""), disks);
      if (!fits(now, [{ node: node.uuid, reason: "moving", ...share, of: [instance.uuid] }]))
        return [];
      return changed(target, { ...instance, primary_node: node.uuid }, [
        { ...disk, nodes: [node.uuid] },
      ]);
    }
  }
}

const seen = new Map<string, number>();

test("whatever happens, what is reserved can become real, and nothing is counted twice", () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40, size: "max" }), fc.nat(), (events, seed) => {
      const random = seeded(seed);
      let now = begin(random);
      for (const [at, happening] of events.entries()) {
        const changes = stamped(now, outcome(now, random, happening), at);
        const key = `${happening.kind} ${changes.length > 0 ? "done" : "not"}`;
        seen.set(key, (seen.get(key) ?? 0) + 1);
        const before = now;
        now = before.with(changes, { serial: before.serial + 1, mtime: at });
        expect(faultsOfChanges(before, now, changes)).toEqual([]);
        for (const node of now.nodes()) {
          const { memoryFreeMib, diskFreeMib } = figuresOf(now, node);
          const reserved = reservedOn(now, node.uuid);
          const shares = allToCome(now).map(({ instance, disks }) =>
            shareOf(now, instance, node, disks),
          );
          const sum = (of: (share: (typeof shares)[number]) => number) =>
            shares.reduce((total, share) => total + of(share), 0);
          expect(reserved.memoryMib).toBe(sum(({ memoryMib }) => memoryMib));
          expect(reserved.vcpus).toBe(sum(({ vcpus }) => vcpus));
          expect(reserved.diskMib.xenvg ?? 0).toBe(sum(({ diskMib }) => diskMib.xenvg));
          expect(memoryFreeMib - reserved.memoryMib).toBeGreaterThanOrEqual(0);
          expect(diskFreeMib.xenvg - (reserved.diskMib.xenvg ?? 0)).toBeGreaterThanOrEqual(0);
        }
        for (const { instance: one, disks } of allToCome(now)) {
          if (one.primary_node === undefined) continue;
          const nodes = [...new Set([one.primary_node, ...disks.flatMap((disk) => disk.nodes)])];
          const wanted = nodes.map((node) => ({
            node,
            reason: "committing",
            of: [one.uuid],
            ...shareOf(now, one, now.expectNode(node), disks),
          }));
          expect(fits(now, wanted)).toBe(true);
        }
      }
      expect(consistencyFaults(now)).toEqual([]);
      const taken = now.expectNetwork("net").reservations.replaceAll("0", "").length;
      const nics = [
        ...[...now.instances()].flatMap((one) => one.nics),
        ...[...now.claims()].flatMap((claim) => namesOfClaim(claim).nics),
      ];
      expect(taken).toBe(nics.length);
      expect(externalAddresses(now.expectNetwork("net"))).toHaveLength(2);
    }),
    { numRuns: 100 },
  );
  for (const kind of ["reserve", "hold", "commit", "die", "grow", "move", "remove", "fail"]) {
    expect([kind, (seen.get(`${kind} done`) ?? 0) > 5]).toEqual([kind, true]);
  }
  for (const kind of ["reserve", "hold", "grow"]) {
    expect([kind, (seen.get(`${kind} not`) ?? 0) > 0]).toEqual([kind, true]);
  }
});

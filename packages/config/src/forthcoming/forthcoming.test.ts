import { JobId } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { aDrbdDisk, anInstance, apply, nodeNamed, opened, seeded } from "../../test/cluster.js";
import { creationChanges } from "../../test/holds.js";
import { capacityFaults, reservedOn } from "./reserved.js";

async function withReservation() {
  const configuration = await opened();
  const [one, two, three] = [1, 2, 3].map((n) => nodeNamed(configuration.snapshot, n).uuid);
  if (one === undefined || two === undefined || three === undefined) throw new Error("three nodes");
  const random = seeded();
  const disk = { ...aDrbdDisk(random, [one, two], { port: 11000, minors: [0, 0] }) };
  const instance = anInstance(random, "db", one, {
    disks: [disk.uuid],
    beparams: { maxmem: 1024, vcpus: 2 },
  });
  const changes = creationChanges(instance, [disk], JobId.parse(4));
  return { now: await apply(configuration, ...changes), configuration, instance, one, two, three };
}

test("a reservation counts on both its nodes, memory only for a failover on the second", async () => {
  const { now, one, two, three } = await withReservation();
  expect(reservedOn(now, one)).toEqual({
    memoryMib: 1024,
    vcpus: 2,
    spindleUse: 1,
    diskSpindles: 0,
    secondaryMemoryMib: 0,
    diskMib: { xenvg: 1152 },
  });
  expect(reservedOn(now, two)).toMatchObject({
    memoryMib: 0,
    vcpus: 0,
    secondaryMemoryMib: 1024,
    diskMib: { xenvg: 1152 },
  });
  expect(reservedOn(now, three)).toMatchObject({ memoryMib: 0, diskMib: {} });
});

test("what is free is what the node has less what is reserved for others", async () => {
  const { now, instance, one } = await withReservation();
  const figures = { memoryFreeMib: 2000, diskFreeMib: { xenvg: 2000 }, cpuCount: 1 };
  const wanted = {
    node: one,
    reason: "creating instance web",
    memoryMib: 977,
    diskMib: { xenvg: 849 },
    vcpus: 3,
  };
  expect(capacityFaults(now, figures, wanted)).toEqual([
    "Not enough memory on node node1.example.com for creating instance web: needed 977 MiB, available 976 MiB",
    "Not enough disk space on target node node1.example.com vg xenvg: required 849 MiB, available 848 MiB",
    "Not enough vcpus on node node1.example.com for creating instance web: needed 3, available 2",
  ]);
  expect(capacityFaults(now, figures, { ...wanted, of: [instance.uuid] })).toEqual([]);
  expect(capacityFaults(now, {}, wanted)).toEqual([]);
});

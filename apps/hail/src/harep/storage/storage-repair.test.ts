import { describe, expect, test } from "vitest";
import { type DiskCopy, type InstanceStorage, instanceStorage } from "./instance-storage.js";
import { nodeRepairs, roomAfter, type StorageFindings, withFailing } from "./node-storage.js";
import { storageRepair } from "./storage-repair.js";

const copy = (change: Partial<DiskCopy>): DiskCopy => ({
  ...{ disk: 0, node: "node1", role: "primary", state: "sound", sizeMib: 1152 },
  volumes: [{ group: "xenvg", name: "data0" }],
  ...change,
});
const onSecondary = (change: Partial<DiskCopy> = {}) =>
  copy({ node: "node2", role: "secondary", ...change });
const web = (copies: readonly DiskCopy[], isRunning = true): InstanceStorage => ({
  ...{ name: "web", isRunning, copies },
});
const lost = { state: "lost" } as const;

describe("the repair of an instance", () => {
  const replace = "OP_INSTANCE_REPLACE_DISKS";
  const rebuild = ["OP_INSTANCE_RECREATE_DISKS", "OP_INSTANCE_REINSTALL"];
  test.each([
    {
      title: "is fix-storage beside a lost secondary copy if there is room",
      ...{ storage: web([copy({}), onSecondary(lost)]), room: { node2: 1152 } },
      expected: ["fix-storage", [replace], "replace_on_secondary"],
    },
    {
      title: "is fix-storage with another secondary if one MiB lacks",
      ...{ storage: web([copy({}), onSecondary(lost)]), room: { node2: 1151 } },
      expected: ["fix-storage", [replace], "replace_new_secondary"],
    },
    {
      title: "is fix-storage beside a lost primary copy if there is room",
      ...{ storage: web([copy(lost), onSecondary()]), room: { node1: 9999 } },
      expected: ["fix-storage", [replace], "replace_on_primary"],
    },
    {
      title: "is migrate if a running instance has no room beside its failing primary copy",
      ...{ storage: web([copy({ state: "failing" }), onSecondary()]), room: {} },
      expected: ["migrate", ["OP_INSTANCE_MIGRATE", replace], "replace_new_secondary"],
    },
    {
      title: "is failover if such an instance does not run",
      ...{ storage: web([copy({ state: "failing" }), onSecondary()], false), room: {} },
      expected: ["failover", ["OP_INSTANCE_FAILOVER", replace], "replace_new_secondary"],
    },
    {
      title:
        "is failover if there is no room for a lost primary copy, since the mirror cannot be disconnected",
      ...{ storage: web([copy(lost), onSecondary()]), room: {} },
      expected: ["failover", ["OP_INSTANCE_FAILOVER", replace], "replace_new_secondary"],
    },
    {
      title: "is fix-storage beside a failing copy if there is room",
      ...{ storage: web([copy({}), onSecondary({ state: "failing" })]), room: { node2: 1152 } },
      expected: ["fix-storage", [replace], "replace_on_secondary"],
    },
    {
      title: "is reinstall if copies of two disks are lost on different nodes",
      ...{ storage: web([copy(lost), onSecondary({ ...lost, disk: 1 })], false), room: {} },
      expected: ["reinstall", rebuild, undefined],
    },
    {
      title:
        "is reinstall between a stop and a start if the only copy of a running instance is lost",
      ...{ storage: web([copy(lost)]), room: { node1: 9999 } },
      expected: [
        "reinstall",
        ["OP_INSTANCE_SHUTDOWN", ...rebuild, "OP_INSTANCE_STARTUP"],
        undefined,
      ],
    },
  ])("$title", ({ storage, room, expected }) => {
    const found = storageRepair(storage, new Map(Object.entries(room as Record<string, number>)));
    if (found?.kind !== "repair") throw new Error("no repair");
    const { type, opcodes } = found.repair;
    expect([type, opcodes.map(({ OP_ID }) => OP_ID), opcodes.at(-1)?.mode]).toEqual(expected);
  });

  test("waits while the node of the other copy is offline, and is none for sound copies", () => {
    const waiting = storageRepair(web([copy(lost), onSecondary({ state: "unknown" })]), new Map());
    expect(waiting).toEqual({
      kind: "wait",
      why: "web has lost its copy of disk 0 on its primary node1, and node2 with the other copy does not answer",
    });
    for (const state of ["sound", "failing"] as const) {
      const sound = web([copy({ state }), onSecondary({ state: "unknown" })]);
      expect(storageRepair(sound, new Map())).toBeUndefined();
    }
    expect(storageRepair(web([copy({ state: "failing" })]), new Map())).toBeUndefined();
  });

  test("takes its room, so that the next instance does not get the same", () => {
    const room = new Map([["node2", 2000]]);
    const ailing = web([copy({}), onSecondary(lost)]);
    const whys = [1, 2].map(() => {
      const found = storageRepair(ailing, room);
      return found?.kind === "repair" ? found.repair.why : "";
    });
    expect(whys).toEqual([
      expect.stringContaining("which has room: the copy is made again there"),
      expect.stringContaining("which has no room left: it gets another secondary"),
    ]);
  });
});

describe("repairs of nodes", () => {
  const volume = (name: string, change = {}) => ({
    ...{ node: "node2", name, freeMib: 5000, isAllocatable: true, ...change },
  });
  const findings = (change: Partial<StorageFindings> = {}): StorageFindings => ({
    instances: [web([copy({}), onSecondary(lost)])],
    physicalVolumes: [
      volume("/dev/sda"),
      volume("/dev/sdb"),
      volume("/dev/sda", { node: "node1" }),
    ],
    places: [
      { node: "node2", group: "xenvg", name: "data0", device: "/dev/sdb" },
      { node: "node2", group: "xenvg", name: "other", device: "/dev/sda" },
    ],
    ...change,
  });

  test("close the open physical volume that carries lost copies, and count its room no more", () => {
    const repairs = nodeRepairs(findings());
    expect(repairs).toMatchObject([
      {
        ...{ node: "node2", kind: "close", instances: ["web"] },
        opcode: { name: "/dev/sdb", changes: { allocatable: false } },
        why: "/dev/sdb of node2 carries lost copies of web: it is closed for new disks",
      },
    ]);
    expect(Object.fromEntries(roomAfter(findings(), repairs))).toEqual({
      node1: 5000,
      node2: 5000,
    });
    const closed = findings({ physicalVolumes: [volume("/dev/sdb", { isAllocatable: false })] });
    expect(nodeRepairs(closed)).toEqual([]);
  });

  test("find the sound copies that share a device with lost ones", () => {
    const other = { group: "xenvg", name: "other" };
    const near = {
      ...web([copy({ volumes: [other] }), onSecondary({ volumes: [other] })]),
      name: "near",
    };
    const states = (change: Partial<StorageFindings>) => {
      const instances = [...findings().instances, near];
      const found = withFailing(findings({ instances, ...change })).instances;
      return found.map(({ copies }) => copies.map(({ state }) => state));
    };
    expect(states({})).toEqual([
      ["sound", "lost"],
      ["sound", "sound"],
    ]);
    const places = findings().places.map((place) => ({ ...place, device: "/dev/sdb" }));
    expect(states({ places })).toEqual([
      ["sound", "lost"],
      ["sound", "failing"],
    ]);
  });

  test("make a group with a missing device consistent, also if no instance has lost a copy", () => {
    const physicalVolumes = [volume("[unknown]"), volume("/dev/sda")];
    const [repair] = nodeRepairs(
      findings({ physicalVolumes, places: [], instances: [web([copy({}), onSecondary()])] }),
    );
    expect(repair).toMatchObject({
      ...{ node: "node2", kind: "repair-group", instances: [] },
      opcode: { OP_ID: "OP_REPAIR_NODE_STORAGE", name: "xenvg", ignore_consistency: false },
    });
    expect(roomAfter(findings({ physicalVolumes }), []).get("node2")).toBe(5000);
  });
});

describe("the state of copies", () => {
  const status = (local: number) => ["/dev/x", 1, 2, null, null, local !== 1, local];
  const child = (pstatus: unknown, sstatus: unknown) => ({
    ...{ dev_type: "plain", logical_id: ["xenvg", "a"], size: 128, pstatus, sstatus },
  });
  const mirror = (pstatus: unknown, sstatus: unknown, ...children: unknown[]) => ({
    ...{ dev_type: "drbd", size: 1024, pstatus, sstatus, children },
    drbd_info: { primary_node: "node1", secondary_node: "node2" },
  });
  const statesOf = (disk: unknown, offline: readonly string[] = []) =>
    instanceStorage({ name: "web", pnode: "node1", disks: [disk] } as never, (node) =>
      offline.includes(node),
    ).copies.map(({ state }) => state);
  const [ok, faulty] = [status(1), status(4)];
  test.each([
    ["of a healthy mirror are sound", mirror(ok, ok, child(ok, ok)), [], ["sound", "sound"]],
    ["of an inactive mirror are sound", mirror(null, null, child(ok, ok)), [], ["sound", "sound"]],
    ["without local storage are lost", mirror(ok, faulty, child(ok, ok)), [], ["sound", "lost"]],
    ["whose volume is gone are lost", mirror(ok, ok, child(null, ok)), [], ["lost", "sound"]],
    [
      "on an offline node are unknown",
      mirror(ok, null, child(ok, null)),
      ["node2"],
      ["sound", "unknown"],
    ],
    [
      "on a drained node, which answers, are known",
      mirror(ok, faulty, child(ok, ok)),
      ["node2"],
      ["sound", "lost"],
    ],
    ["of a plain disk without its volume are lost", child(null, null), [], ["lost"]],
    ["in a file are never lost", { dev_type: "file", size: 5, pstatus: null }, [], ["sound"]],
  ])("%s", (_, disk, offline, expected) => {
    expect(statesOf(disk, offline)).toEqual(expected);
  });
});

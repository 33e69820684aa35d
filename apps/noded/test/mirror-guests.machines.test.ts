// Mirrors on real LVM and DRBD 8.4 in two QEMU guests: created, resynchronised, grown, failed over with equal content.
import type { DiskOnNode, NodeCallArguments, NodeCallName } from "@ganeti-ts/node-calls";
import { createNodeRpcClient } from "@ganeti-ts/node-rpc";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bootPair, type Guest, guestsUnavailable } from "./guest/guests.js";
import { type MachineFolder, machineFolder } from "./machine-folder.js";

const problem = guestsUnavailable();
const params = {
  ...{ protocol: "C", "resync-rate": 8192, "default-metavg": "xenvg", "disabled-barriers": "n" },
  ...{ "disable-meta-flush": false, "disk-custom": "", "net-custom": "", "dynamic-resync": false },
  ...{ "c-plan-ahead": 0, "c-fill-target": 0, "c-delay-target": 1, "c-max-rate": 61_440 },
  "c-min-rate": 4096,
};
const volume = (name: string): DiskOnNode => ({
  ...{ uuid: `uuid-${name}`, dev_type: "plain", size: 128, params: { stripes: 1 } },
  logical_id: ["xenvg", name],
});
const disk: DiskOnNode = {
  ...{ uuid: "uuid-mirror", dev_type: "drbd", size: 128, iv_name: "disk/0", params },
  logical_id: ["uuid-1", "uuid-2", 11_000, 0, 0, "c0ffee"],
  children: [volume("web.data"), volume("web.meta")],
};
/** The same mirror after it has grown. */
const grown: DiskOnNode = {
  ...disk,
  ...{ size: 192, children: [{ ...volume("web.data"), size: 192 }, volume("web.meta")] },
};
const instance = {
  ...{ uuid: "uuid-web", name: "web.example.com", os: "none", hypervisor: "kvm", hvparams: {} },
  ...{ beparams: {}, osparams: {}, nics: [], disks: [disk] },
};
const owner = { disks: [disk], owner: instance.name };

describe.skipIf(problem !== undefined)(`mirrors of two guests (${problem ?? "ready"})`, () => {
  let folder: MachineFolder;
  let guests: readonly Guest[] = [];
  let client: Awaited<ReturnType<typeof clientOf>>;

  async function clientOf() {
    const made = createNodeRpcClient({
      clusterCertificate: folder.server,
      clientCertificate: folder.client,
      clientKey: folder.client,
      ports: Object.fromEntries(guests.map(({ daemonPort }, at) => [`uuid-${at + 1}`, daemonPort])),
    });
    for (const number of [1, 2]) {
      const addresses = { primaryIp: "127.0.0.1", secondaryIp: `192.0.2.${number}` };
      await made.introduce({ uuid: `uuid-${number}`, name: `n${number}`, ...addresses } as never);
    }
    return made;
  }

  const answer = <Name extends NodeCallName>(
    node: 1 | 2,
    name: Name,
    args: NodeCallArguments<Name>,
  ) =>
    client.call(`uuid-${node}`, name, args, { lease: "1:1", signal: new AbortController().signal });

  async function ask<Name extends NodeCallName>(
    node: 1 | 2,
    name: Name,
    args: NodeCallArguments<Name>,
  ) {
    const found = await answer(node, name, args);
    if (!found.ok) throw new Error(`${name} on n${node}: ${found.message}`);
    return found.value;
  }

  /** Polls every second; the time limit of the suite is the only one. */
  async function until<T>(look: () => Promise<T>, isDone: (found: T) => boolean): Promise<T> {
    for (;;) {
      const found = await look();
      if (isDone(found)) return found;
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }

  const status = async (node: 1 | 2) => {
    const [found] = await ask(node, "blockdev_getmirrorstatus", { disks: [disk] });
    if (found === undefined) throw new Error("no status");
    return found;
  };
  const hasProgress = (found: { syncPercent: number | null }) => found.syncPercent !== null;
  const isSynchronised = (found: { degraded: boolean }) => !found.degraded;
  const checksum = async (node: 1 | 2): Promise<string> => {
    const output = await guests[node - 1]?.shell("dd if=/dev/drbd0 bs=1M count=64 | md5sum");
    const sum = /^[0-9a-f]{32}/m.exec(output ?? "")?.[0];
    if (sum === undefined) throw new Error(`no checksum in '${output}'`);
    return sum;
  };

  beforeAll(async () => {
    folder = await machineFolder();
    guests = await bootPair(folder);
    client = await clientOf();
    for (const node of [1, 2] as const) {
      await until(
        () => answer(node, "vg_list", {}),
        (found) => found.ok && found.value.xenvg !== undefined,
      );
    }
  });
  afterAll(() => {
    if (process.env.GANETI_TS_GUEST_CONSOLE)
      for (const guest of guests) console.log(guest.console());
    for (const guest of guests) guest.kill();
    folder?.remove();
  });

  test("a mirror is created through the daemons and shows the progress of its first synchronisation", async () => {
    for (const node of [1, 2] as const) {
      for (const one of [...(disk.children ?? []), disk]) {
        await ask(node, "blockdev_create", {
          ...{ disk: one, sizeMib: one.size, owner: instance.name, onPrimary: node === 1 },
          ...{ info: "originstname+web.example.com", exclusiveStorage: false },
        });
      }
    }
    const pauseOnSecondary = (pause: boolean) =>
      ask(2, "blockdev_pause_resume_sync", { disks: [disk], pause });
    await ask(2, "blockdev_assemble", { disk, instance, asPrimary: false, index: 0 });
    // Paused, so that the first status is read before the end even on a slow machine.
    await pauseOnSecondary(true);
    await ask(1, "blockdev_assemble", { disk, instance, asPrimary: true, index: 0 });
    const { syncPercent } = await until(() => status(1), hasProgress);
    expect(syncPercent).toBeLessThan(100);
    await pauseOnSecondary(false);
    const end = await until(() => status(1), isSynchronised);
    expect(end).toMatchObject({ degraded: false, localDisk: "ok", syncPercent: null });
    expect(await ask(1, "drbd_wait_sync", { disks: [disk] })).toEqual({
      ...{ done: true, syncPercent: 100 },
    });
  });

  test("its calls can be repeated, and its secondary is not opened meanwhile", async () => {
    await ask(1, "blockdev_assemble", { disk, instance, asPrimary: true, index: 0 });
    await ask(1, "blockdev_create", {
      ...{ disk, sizeMib: 128, owner: instance.name, onPrimary: true, info: "a" },
      exclusiveStorage: false,
    });
    const opened = await answer(2, "blockdev_open", { ...owner, exclusive: false });
    expect(opened).toMatchObject({ ok: false });
    for (const pause of [true, true, false, false]) {
      expect(await ask(1, "blockdev_pause_resume_sync", { disks: [disk], pause })).toEqual([
        { ok: true, message: null },
      ]);
    }
    for (const node of [1, 2] as const) {
      const found = await ask(node, "node_verify", {
        ...{ clusterName: "c", drbdVersion: true, drbdList: true, drbdHelper: "/bin/true" },
        ...{ logicalVolumes: "xenvg", physicalVolumes: ["xenvg"] },
      });
      expect(found).toMatchObject({
        ...{ drbdVersion: expect.stringMatching(/^8\.4\.\d+ \(api:/), drbdMinors: [0] },
        drbdHelper: { ok: true, text: "/bin/true" },
      });
      expect(found.logicalVolumes).toHaveLength(2);
    }
  });

  test("the primary role moves while both sides may be primary, and the content with it", async () => {
    await guests[0]?.shell(
      "dd if=/dev/urandom of=/dev/drbd0 bs=1M count=64 oflag=direct 2>/dev/null",
    );
    const before = await checksum(1);
    const connected = async (multimaster: boolean) => {
      for (const node of [1, 2] as const) await ask(node, "drbd_disconnect_net", { disks: [disk] });
      await Promise.all(
        ([1, 2] as const).map((node) =>
          ask(node, "drbd_attach_net", { disks: [disk], multimaster }),
        ),
      );
    };
    await connected(true);
    await ask(2, "blockdev_open", { ...owner, exclusive: false });
    await ask(1, "blockdev_close", owner);
    await connected(false);
    expect(await checksum(2)).toBe(before);
    await ask(2, "blockdev_close", owner);
    await ask(1, "blockdev_open", { ...owner, exclusive: false });
  });

  test("it works without its local storage and is resynchronised when the storage is back", async () => {
    const children = disk.children ?? [];
    const before = await checksum(1);
    await ask(1, "blockdev_removechildren", { disk, children });
    const [without] = await ask(1, "blockdev_getmirrorstatus_multi", { disks: [disk] });
    expect(without).toMatchObject({ ok: true, status: { localDisk: "faulty", degraded: true } });
    expect(await checksum(1)).toBe(before);
    await ask(1, "blockdev_addchildren", { disk, children });
    await until(() => status(1), isSynchronised);
    expect(await checksum(1)).toBe(before);
  });

  test("it grows over storage that both nodes have grown, and not without", async () => {
    const growth = { disk, amountMib: 64, dryRun: false, exclusiveStorage: false };
    const early = await answer(1, "blockdev_grow", { ...growth, backingStore: false });
    expect(early).toMatchObject({ ok: false, message: expect.stringContaining("resize failed") });
    for (const node of [1, 2] as const) {
      await ask(node, "blockdev_grow", { ...growth, backingStore: true });
    }
    await ask(1, "blockdev_grow", { ...growth, backingStore: false });
    const [size] = await ask(1, "blockdev_getdimensions", { disks: [disk] });
    expect(size?.sizeMib).toBe(192);
    await until(() => status(1), isSynchronised);
  });

  test("two sides that were both written to are not connected, and each keeps its data", async () => {
    const connect = (multimaster: boolean) =>
      Promise.all(
        ([1, 2] as const).map((node) =>
          answer(node, "drbd_attach_net", { disks: [disk], multimaster }),
        ),
      );
    for (const node of [1, 2] as const) await ask(node, "drbd_disconnect_net", { disks: [disk] });
    await ask(2, "blockdev_open", { ...owner, exclusive: false });
    for (const guest of guests) {
      await guest.shell("dd if=/dev/urandom of=/dev/drbd0 bs=1M count=4 oflag=direct 2>/dev/null");
    }
    const before = [await checksum(1), await checksum(2)];
    expect(before[0]).not.toBe(before[1]);
    const refused = await connect(true);
    expect(refused.map(({ ok }) => ok)).toContain(false);
    expect([await checksum(1), await checksum(2)]).toEqual(before);
    expect((await status(1)).degraded).toBe(true);
    // The administrator discards one side: it gets new metadata and then the content of the other side.
    await ask(2, "blockdev_close", owner);
    await ask(2, "blockdev_shutdown", { disk: grown });
    await ask(2, "blockdev_create", {
      ...{ disk: grown, sizeMib: grown.size, owner: instance.name, onPrimary: false, info: "a" },
      exclusiveStorage: false,
    });
    for (const [node, asPrimary] of [
      [2, false],
      [1, true],
    ] as const) {
      await ask(node, "blockdev_assemble", { disk: grown, instance, asPrimary, index: 0 });
    }
    await until(() => status(1), isSynchronised);
    await ask(1, "blockdev_close", owner);
    await ask(2, "blockdev_open", { ...owner, exclusive: false });
    expect(await checksum(2)).toBe(before[0]);
    await ask(2, "blockdev_close", owner);
    await ask(1, "blockdev_open", { ...owner, exclusive: false });
  });

  test("the secondary takes over with equal content when the primary's machine loses its power in the middle of a resynchronisation", async () => {
    const before = await checksum(1);
    const children = grown.children ?? [];
    await ask(1, "blockdev_removechildren", { disk: grown, children });
    await ask(1, "blockdev_addchildren", { disk: grown, children });
    const { syncPercent } = await until(
      () => status(1),
      (found) => found.syncPercent !== null && found.syncPercent > 5,
    );
    expect(syncPercent).toBeLessThan(100);
    guests[0]?.kill();
    await until(
      () => status(2),
      ({ degraded }) => degraded,
    );
    await ask(2, "blockdev_open", { ...owner, exclusive: false });
    expect(await checksum(2)).toBe(before);
    await ask(2, "blockdev_close", owner);
    await ask(2, "blockdev_remove", { disk });
    expect(await ask(2, "lv_list", { volumeGroups: ["xenvg"] })).toEqual([]);
  });
});

import type { NodeCallArguments } from "../../call-types.js";
import type { DiskOnNode } from "../../objects/disk.js";
import { lawsOf } from "../law.js";
import type { Trial } from "../trial.js";
import { assembly, creation, makeMirror, mirror, sizeOf, synchronised, volume } from "./disks.js";

const growth = (disk: DiskOnNode, backingStore = true): NodeCallArguments<"blockdev_grow"> => ({
  ...{ disk, amountMib: 128, dryRun: false, backingStore, exclusiveStorage: false },
});

/** State of the device, the same for all calls that look at it. */
async function stateOf(trial: Trial, disk: DiskOnNode) {
  const [one] = await trial.ask(0, "blockdev_getmirrorstatus", { disks: [disk] });
  trial.same(await trial.ask(0, "blockdev_find", { disk }), one, "the device that is found");
  const many = await trial.ask(0, "blockdev_getmirrorstatus_multi", { disks: [disk] });
  trial.same(many, [{ ok: true, status: one }], "the same in a list");
  return [one?.degraded, one?.localDisk];
}

/** Sizes in the lists of volumes, by name. */
async function listedSizes(trial: Trial): Promise<readonly (readonly [string, number])[]> {
  const { volumeGroup } = trial.stage;
  const listed = await trial.ask(0, "lv_list", { volumeGroups: [volumeGroup] });
  const asked = { clusterName: "cluster.example.com", logicalVolumes: volumeGroup };
  const verified = await trial.ask(0, "node_verify", asked);
  trial.same(verified.logicalVolumes, listed, "volumes of a verification");
  return listed
    .map(({ name, sizeMib }) => [name, sizeMib] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

const setReadOnly = async (trial: Trial, name: string, readOnly = true): Promise<void> =>
  trial.stage.setReadOnly?.(0, name, readOnly);

/** A mirror whose volumes have these sizes instead of the configured ones; it does not exist yet. */
async function volumesOf(trial: Trial, dataMib: number, metaMib: number, node = 0) {
  const disk = mirror(trial);
  const [data, meta] = disk.children as readonly [DiskOnNode, DiskOnNode];
  await trial.ask(node, "blockdev_create", { ...creation(data), sizeMib: dataMib });
  await trial.ask(node, "blockdev_create", { ...creation(meta), sizeMib: metaMib });
  return { disk, data, meta };
}

export const damagedDiskLaws = [
  ...lawsOf("disks", ["lvm", "damaged volumes"], {
    async "A volume of another size than configured is whole, and grows to the size asked for."(
      trial,
    ) {
      const [small, large] = [volume(trial, "small"), volume(trial, "large")];
      await trial.ask(0, "blockdev_create", { ...creation(small), sizeMib: 256 });
      await trial.ask(0, "blockdev_create", { ...creation(large), sizeMib: 768 });
      for (const disk of [small, large]) {
        trial.same(await stateOf(trial, disk), [false, "ok"], "state of such a volume");
        await trial.ask(0, "blockdev_assemble", assembly(disk));
      }
      const sizes = [await sizeOf(trial, small), await sizeOf(trial, large)];
      trial.same(sizes, [256, 768], "sizes of the volumes");
      const listed = [["large", 768] as const, ["small", 256] as const];
      trial.same(await listedSizes(trial), listed, "sizes in lists");
      const wiped = { offsetMib: 256, sizeMib: 256 };
      await trial.refused(0, "blockdev_wipe", { disk: small, ...wiped }, "the volume ends before");
      await trial.ask(0, "blockdev_wipe", { disk: large, ...wiped });
      const beyond = { disk: large, offsetMib: 512, sizeMib: 1 };
      await trial.refused(0, "blockdev_wipe", beyond, "the disk ends before");
      const copy = { source: large, target: small };
      await trial.refused(0, "blockdev_convert", copy, "there is more than the target holds");
      await trial.ask(0, "blockdev_convert", { source: small, target: large });
      for (const disk of [small, large]) await trial.ask(0, "blockdev_grow", growth(disk));
      const grown = [await sizeOf(trial, small), await sizeOf(trial, large)];
      trial.same(grown, [640, 768], "sizes after growing by 128 MiB");
    },

    async "A read-only volume is found as any other, and cannot be written."(trial) {
      const [disk, other] = [volume(trial), volume(trial, "other")];
      for (const one of [disk, other]) await trial.ask(0, "blockdev_create", creation(one));
      const before = await listedSizes(trial);
      await setReadOnly(trial, "data");
      trial.same(await stateOf(trial, disk), [false, "ok"], "state of a read-only volume");
      trial.same(await listedSizes(trial), before, "sizes in lists");
      trial.same(await sizeOf(trial, disk), 512, "its size");
      await trial.ask(0, "blockdev_assemble", assembly(disk));
      const wiped = { disk, offsetMib: 0, sizeMib: 64 };
      await trial.refused(0, "blockdev_wipe", wiped, "it is read-only");
      await trial.refused(0, "blockdev_convert", { source: other, target: disk }, "it is, too");
      await trial.ask(0, "blockdev_convert", { source: disk, target: other });
      await setReadOnly(trial, "data", false);
      await trial.ask(0, "blockdev_wipe", wiped);
      await setReadOnly(trial, "data");
      await trial.ask(0, "blockdev_remove", { disk });
    },
  }),
  ...lawsOf("disks", ["drbd", "damaged volumes"], {
    async "A mirror is not attached to a volume that is too small or read-only, and is down then."(
      trial,
    ) {
      const { disk, data, meta } = await volumesOf(trial, 256, 64);
      const refused = (why: string) =>
        trial.refused(0, "blockdev_create", creation(disk, false), why);
      await refused("there is no room for metadata");
      await trial.ask(0, "blockdev_remove", { disk: meta });
      await trial.ask(0, "blockdev_create", creation(meta));
      await refused("the data volume is too small");
      trial.same(await trial.ask(0, "blockdev_find", { disk }), null, "a mirror without storage");
      await trial.ask(0, "blockdev_grow", growth({ ...data, size: 384 }));
      await setReadOnly(trial, "mirror_meta");
      await refused("its metadata cannot be written");
      await setReadOnly(trial, "mirror_meta", false);
      const whole = await makeMirror(trial);
      for (const name of ["mirror_data", "mirror_meta"]) {
        await setReadOnly(trial, name);
        trial.same(await sizeOf(trial, whole), 512, "an active mirror goes on");
        await trial.ask(0, "blockdev_assemble", assembly(whole));
        await trial.ask(0, "blockdev_shutdown", { disk });
        await trial.refused(0, "blockdev_assemble", assembly(whole), "a volume is read-only");
        const asked = { disks: [whole] };
        trial.same(await trial.ask(0, "drbd_needs_activation", asked), [whole.uuid], "to activate");
        trial.same(await trial.ask(0, "blockdev_getdimensions", asked), [null], "its size");
        await trial.refused(0, "blockdev_getmirrorstatus", asked, "it is down");
        await setReadOnly(trial, name, false);
        await trial.ask(0, "blockdev_assemble", assembly(whole));
      }
      await synchronised(trial, whole);
      const children = [volume(trial, "small", 256), volume(trial, "small_meta", 128)];
      for (const child of children) await trial.ask(0, "blockdev_create", creation(child));
      await trial.ask(0, "blockdev_removechildren", { disk, children: disk.children ?? [] });
      await trial.refused(0, "blockdev_addchildren", { disk, children }, "one is too small");
      trial.same(await stateOf(trial, whole), [true, "faulty"], "a mirror without them");
    },

    async "A mirror has its own size on larger volumes, and grows as far as both nodes have room."(
      trial,
    ) {
      await volumesOf(trial, 1024, 256, 1);
      const disk = mirror(trial);
      for (const child of disk.children ?? []) {
        await trial.ask(0, "blockdev_create", creation(child));
      }
      await trial.ask(1, "blockdev_create", creation(disk, false));
      await trial.ask(0, "blockdev_create", creation(disk));
      await trial.ask(1, "blockdev_assemble", assembly(disk, false));
      await trial.ask(0, "blockdev_assemble", assembly(disk));
      await synchronised(trial, disk);
      const sizes = async () => [await sizeOf(trial, disk), await sizeOf(trial, disk, 1)];
      trial.same(await sizes(), [512, 512], "sizes of both sides");
      await trial.ask(0, "blockdev_grow", growth(disk));
      await trial.ask(0, "blockdev_grow", growth(disk, false));
      await synchronised(trial, disk);
      trial.same(await sizes(), [640, 640], "sizes of both sides after growing");
      const grown = { ...disk, size: 1024 };
      await trial.ask(0, "blockdev_grow", growth(grown));
      await trial.refused(0, "blockdev_grow", growth(grown, false), "the peer has no room");
      trial.same(await stateOf(trial, disk), [false, "ok"], "state of the mirror");
    },
  }),
];

import type { NodeCallArguments } from "../../call-types.js";
import type { DiskOnNode } from "../../objects/disk.js";
import { lawsOf } from "../law.js";
import { anInstance } from "../objects.js";
import type { Trial } from "../trial.js";

export const volume = ({ stage }: Trial, name = "data", size = 512): DiskOnNode => ({
  uuid: `uuid-${name}`,
  dev_type: "plain",
  size,
  iv_name: "disk/0",
  mode: "rw",
  logical_id: [stage.volumeGroup, name],
  params: { stripes: 1 },
  children: [],
});

/** Ganeti's defaults, under the names that nodes use. */
const mirrorParameters = {
  ...{ "resync-rate": 61440, "disabled-barriers": "n", "disable-meta-flush": false },
  ...{ "default-metavg": "xenvg", "disk-custom": "", "net-custom": "", protocol: "C" },
  ...{ "dynamic-resync": false, "c-plan-ahead": 20, "c-fill-target": 0, "c-delay-target": 1 },
  ...{ "c-max-rate": 61440, "c-min-rate": 4096 },
};

export const creation = (
  disk: DiskOnNode,
  onPrimary = true,
): NodeCallArguments<"blockdev_create"> => ({
  disk,
  sizeMib: disk.size,
  owner: "web.example.com",
  onPrimary,
  info: "originstname+web.example.com",
  exclusiveStorage: false,
});

export const assembly = (disk: DiskOnNode, asPrimary = true) => ({
  disk,
  instance: anInstance({ disks: [disk] }),
  asPrimary,
  index: 0,
});

/** On the first two nodes; minor 0 on both. */
export function mirror(trial: Trial, size = 512): DiskOnNode {
  const [a, b] = trial.stage.members;
  return {
    uuid: "uuid-mirror",
    dev_type: "drbd",
    size,
    iv_name: "disk/0",
    mode: "rw",
    params: mirrorParameters,
    logical_id: [a.uuid, b.uuid, 11_000, 0, 0, "f17006b3a56f4fafd008c4355924ff023df9bfca"],
    children: [volume(trial, "mirror_data", size), volume(trial, "mirror_meta", 128)],
  };
}

export async function makeMirror(trial: Trial): Promise<DiskOnNode> {
  const disk = mirror(trial);
  for (const node of [1, 0]) {
    for (const child of disk.children ?? []) {
      await trial.ask(node, "blockdev_create", creation(child, node === 0));
    }
    await trial.ask(node, "blockdev_create", creation(disk, node === 0));
  }
  for (const [node, asPrimary] of [
    [1, false],
    [0, true],
  ] as const) {
    await trial.ask(node, "blockdev_assemble", assembly(disk, asPrimary));
  }
  return disk;
}

export async function synchronised(trial: Trial, disk: DiskOnNode): Promise<void> {
  for (let time = 0; time < 600; time++) {
    const { done } = await trial.ask(0, "drbd_wait_sync", { disks: [disk] });
    if (done) return;
    await trial.stage.pass(1000);
  }
  trial.end("a mirror is not synchronised after 10 minutes");
}

export const sizeOf = async (trial: Trial, disk: DiskOnNode, node = 0) =>
  (await trial.ask(node, "blockdev_getdimensions", { disks: [disk] }))[0]?.sizeMib;

export const diskLaws = [
  ...lawsOf("disks", ["lvm"], {
    async "A volume exists from its creation to its removal, with the requested size."(trial) {
      const disk = volume(trial);
      trial.same(await trial.ask(0, "blockdev_find", { disk }), null, "a volume not yet made");
      await trial.ask(0, "blockdev_create", creation(disk));
      trial.holds((await trial.ask(0, "blockdev_find", { disk })) !== null, "a volume is missing");
      trial.same(await sizeOf(trial, disk), 512, "size of a volume");
      const device = await trial.ask(0, "blockdev_assemble", assembly(disk));
      trial.holds(device.path !== null && device.link !== null, "a device has no path or link");
      await trial.ask(0, "blockdev_setinfo", { disk, info: "originstname+db.example.com" });
      const owner = { disks: [disk], owner: "web.example.com" };
      await trial.ask(0, "blockdev_open", { ...owner, exclusive: true });
      await trial.ask(0, "blockdev_close", owner);
      await trial.ask(0, "blockdev_shutdown", { disk });
      await trial.ask(0, "blockdev_remove", { disk });
      trial.same(await trial.ask(0, "blockdev_find", { disk }), null, "a removed volume");
      trial.same(await sizeOf(trial, disk), undefined, "size of a removed volume");
    },
  }),
  ...lawsOf("disks", ["lvm", "repetition"], {
    async "Creation takes an existing volume of the same size, and refuses one of another size."(
      trial,
    ) {
      await trial.ask(0, "blockdev_create", creation(volume(trial)));
      await trial.ask(0, "blockdev_create", creation(volume(trial)));
      const larger = creation(volume(trial, "data", 600));
      await trial.refused(0, "blockdev_create", larger, "a volume of another size is there");
      trial.same(await sizeOf(trial, volume(trial)), 512, "size of the volume");
    },
  }),
  ...lawsOf("disks", ["lvm"], {
    async "Growing the backing store adds the amount; a dry run adds nothing."(trial) {
      const disk = volume(trial);
      await trial.ask(0, "blockdev_create", creation(disk));
      const more = { disk, amountMib: 128, backingStore: true, exclusiveStorage: false };
      await trial.ask(0, "blockdev_grow", { ...more, dryRun: true });
      trial.same(await sizeOf(trial, disk), 512, "size after a dry run");
      await trial.ask(0, "blockdev_grow", { ...more, dryRun: false });
      trial.same(await sizeOf(trial, disk), 640, "size after growing");
      const tooMuch = { ...more, amountMib: 100_000_000, dryRun: true };
      await trial.refused(0, "blockdev_grow", tooMuch, "there is no room");
    },
  }),
  ...lawsOf("disks", ["lvm", "uploads"], {
    async "Content is copied to volumes, and a snapshot is a volume of its own."(trial) {
      const [disk, copy] = [volume(trial), volume(trial, "copy")];
      await trial.ask(0, "blockdev_create", creation(disk));
      await trial.ask(0, "blockdev_create", creation(copy));
      await trial.ask(0, "blockdev_wipe", { disk, offsetMib: 0, sizeMib: 64 });
      const beyond = { disk, offsetMib: 500, sizeMib: 64 };
      await trial.refused(0, "blockdev_wipe", beyond, "it reaches beyond the end");
      const { uploadPath } = trial.stage;
      await trial.ask(0, "upload_file", upload(uploadPath, "image"));
      const image = trial.pathOn(0, uploadPath);
      await trial.ask(0, "blockdev_image", { disk, image, sizeMib: 512 });
      await trial.ask(0, "blockdev_convert", { source: disk, target: copy });
      const id = await trial.ask(0, "blockdev_snapshot", { disk, name: "snap", sizeMib: 128 });
      trial.same(id, [trial.stage.volumeGroup, "snap"], "logical id of a snapshot");
      const snapshot = { ...volume(trial, "snap", 128), logical_id: id };
      trial.same(await sizeOf(trial, snapshot), 128, "size of a snapshot");
      await trial.ask(0, "blockdev_remove", { disk: snapshot });
      trial.holds((await trial.ask(0, "blockdev_find", { disk })) !== null, "its source is gone");
    },
  }),
  ...lawsOf("disks", ["lvm"], {
    async "A renamed volume is found under its new name only."(trial) {
      const [old, renamed] = [volume(trial, "old"), volume(trial, "new")];
      await trial.ask(0, "blockdev_create", creation(old));
      const renames = [{ disk: old, logicalId: renamed.logical_id }];
      await trial.ask(0, "blockdev_rename", { renames });
      trial.same(await trial.ask(0, "blockdev_find", { disk: old }), null, "the old name");
      const found = await trial.ask(0, "blockdev_find", { disk: renamed });
      trial.holds(found !== null, "the new name is missing");
    },

    async "Of several devices each has its own answer."(trial) {
      const disks = [volume(trial), volume(trial, "missing")];
      await trial.ask(0, "blockdev_create", creation(volume(trial)));
      const many = await trial.ask(0, "blockdev_getmirrorstatus_multi", { disks });
      trial.same(
        many.map(({ ok }) => ok),
        [true, false],
        "answers of an existing and a missing device",
      );
      await trial.refused(0, "blockdev_getmirrorstatus", { disks }, "one device is missing");
      const found = await trial.ask(0, "blockdev_getmirrorstatus", { disks: disks.slice(0, 1) });
      trial.same(found[0]?.localDisk, "ok", "status of a volume");
    },
  }),
  ...lawsOf("disks", ["drbd"], {
    async "A new mirror is synchronised to its secondary, which cannot be opened meanwhile."(
      trial,
    ) {
      const disk = await makeMirror(trial);
      await synchronised(trial, disk);
      const status = await trial.ask(0, "blockdev_find", { disk });
      trial.same([status?.degraded, status?.localDisk], [false, "ok"], "a synchronised mirror");
      const open = { disks: [disk], owner: "web.example.com", exclusive: false };
      await trial.refused(1, "blockdev_open", open, "the other side is primary");
      trial.same(await trial.ask(0, "drbd_needs_activation", { disks: [disk] }), [], "to activate");
      const paused = await trial.ask(0, "blockdev_pause_resume_sync", {
        disks: [disk],
        pause: true,
      });
      trial.same(paused, [{ ok: true, message: null }], "a paused synchronisation");
      await trial.ask(0, "blockdev_pause_resume_sync", { disks: [disk], pause: false });
    },

    async "Sides of a mirror that are disconnected are degraded until they are connected again."(
      trial,
    ) {
      const disk = await makeMirror(trial);
      await synchronised(trial, disk);
      await trial.ask(1, "drbd_disconnect_net", { disks: [disk] });
      const apart = await trial.ask(0, "blockdev_find", { disk });
      trial.same(apart?.degraded, true, "degraded while disconnected");
      await trial.ask(1, "drbd_attach_net", { disks: [disk], multimaster: false });
      await synchronised(trial, disk);
      trial.same((await trial.ask(0, "blockdev_find", { disk }))?.degraded, false, "degraded");
    },

    async "A mirror works without its local storage, and gets it back."(trial) {
      const disk = await makeMirror(trial);
      await synchronised(trial, disk);
      const children = disk.children ?? [];
      await trial.ask(0, "blockdev_removechildren", { disk, children });
      const without = await trial.ask(0, "blockdev_find", { disk });
      trial.same(without?.localDisk, "faulty", "local storage that was removed");
      await trial.ask(0, "blockdev_addchildren", { disk, children });
      await synchronised(trial, disk);
      trial.same((await trial.ask(0, "blockdev_find", { disk }))?.localDisk, "ok", "local storage");
    },

    async "A mirror whose volume is gone is there without a local disk, until it gets other volumes."(
      trial,
    ) {
      const disk = await makeMirror(trial);
      await synchronised(trial, disk);
      const children = disk.children ?? [];
      const others = [volume(trial, "other_data"), volume(trial, "other_meta", 128)];
      for (const child of others) await trial.ask(0, "blockdev_create", creation(child));
      const added = { disk, children: others };
      await trial.refused(0, "blockdev_addchildren", added, "it has local storage");
      await trial.ask(0, "blockdev_removechildren", { disk, children });
      for (const child of children.slice(0, 1)) {
        await trial.ask(0, "blockdev_remove", { disk: child });
      }
      const [one] = await trial.ask(0, "blockdev_getmirrorstatus", { disks: [disk] });
      trial.same([one?.localDisk, one?.degraded], ["faulty", true], "a mirror without a volume");
      const many = await trial.ask(0, "blockdev_getmirrorstatus_multi", { disks: [disk] });
      trial.same(many, [{ ok: true, status: one }], "the same in a list");
      trial.same(await trial.ask(0, "blockdev_find", { disk }), one, "the same alone");
      trial.same(await trial.ask(0, "drbd_needs_activation", { disks: [disk] }), [disk.uuid], "");
      await trial.ask(0, "blockdev_setinfo", { disk, info: "originstname+web.example.com" });
      const growth = { amountMib: 64, dryRun: false, backingStore: true, exclusiveStorage: false };
      await trial.refused(0, "blockdev_grow", { disk, ...growth }, "there is nothing to grow");
      await trial.ask(0, "blockdev_addchildren", added);
      await synchronised(trial, disk);
      const whole = { ...disk, children: others };
      const [again] = await trial.ask(0, "blockdev_getmirrorstatus", { disks: [whole] });
      trial.same([again?.localDisk, again?.degraded], ["ok", false], "a mirror with other volumes");
    },

    async "A side that stands alone has to be activated, and one that is down is not there."(
      trial,
    ) {
      const disk = await makeMirror(trial);
      await synchronised(trial, disk);
      await trial.ask(1, "drbd_disconnect_net", { disks: [disk] });
      const [alone] = await trial.ask(1, "blockdev_getmirrorstatus", { disks: [disk] });
      trial.same([alone?.degraded, alone?.localDisk], [true, "unknown"], "one that stands alone");
      await trial.ask(0, "drbd_disconnect_net", { disks: [disk] });
      const [primary] = await trial.ask(0, "blockdev_getmirrorstatus", { disks: [disk] });
      trial.same([primary?.degraded, primary?.localDisk], [true, "ok"], "a primary that does");
      trial.same(await trial.ask(0, "drbd_needs_activation", { disks: [disk] }), [disk.uuid], "");
      await trial.ask(0, "blockdev_shutdown", { disk });
      const disks = [disk];
      trial.same(await trial.ask(0, "blockdev_find", { disk }), null, "a mirror that is down");
      trial.same(await trial.ask(0, "blockdev_getdimensions", { disks }), [null], "its size");
      await trial.refused(0, "blockdev_getmirrorstatus", { disks }, "it is down");
      await trial.refused(0, "drbd_attach_net", { disks, multimaster: false }, "it is down");
      const open = { disks, owner: "web.example.com", exclusive: false };
      await trial.refused(0, "blockdev_open", open, "it is down");
    },

    async "A mirror without its secret is brought down by its minor alone."(trial) {
      const disk = await makeMirror(trial);
      const listed = async () => {
        const asked = { clusterName: "cluster.example.com", drbdList: true } as const;
        return (await trial.ask(1, "node_verify", asked)).drbdMinors;
      };
      trial.same(await listed(), [0], "minors that are up");
      const unknown = { ...disk, children: [], logical_id: [...disk.logical_id.slice(0, 5), null] };
      await trial.ask(1, "blockdev_shutdown", { disk: unknown });
      trial.same(await listed(), [], "minors that are up after the shutdown");
    },
  }),
];

export const upload = (path: string, content: string) => ({
  path,
  content,
  mode: 0o100640,
  owner: "root",
  group: "root",
  accessedAt: 1_795_348_332.25,
  modifiedAt: 1_795_348_332.5,
});

/** Block devices: logical volumes, files, and mirrors (drbd) of pairs of them. */
import type { Call, Done, Nothing } from "./call.js";
import type { DiskOnNode } from "./objects.js";

export type LocalDiskStatus = "ok" | "sync" | "unknown" | "faulty";

export interface DeviceStatus {
  readonly path: string;
  readonly major: number | null;
  readonly minor: number | null;
  /** Null: there is nothing to synchronise, or the peer is not there. */
  readonly syncPercent: number | null;
  /** Until the mirror is complete. */
  readonly estimatedSeconds: number | null;
  /** The node's own copy is missing or not up to date, or its peer is not there. */
  readonly degraded: boolean;
  /** Null for a device that is no mirror. */
  readonly localDisk: LocalDiskStatus | null;
}

/** A mirror that is up. */
export interface UpMirror {
  readonly minor: number;
  /** What carries it: `group/volume` of data and metadata; nothing if it has lost its storage. */
  readonly storage: readonly string[];
  /** The instance that holds it open, by the name that the volumes carry (`originstname+NAME`). */
  readonly openBy: string | null;
}

export type DeviceAnswer =
  | { readonly ok: true; readonly status: DeviceStatus }
  | { readonly ok: false; readonly message: string };

export interface AssembledDevice {
  readonly path: string;
  /** The link under the instance's name. */
  readonly link: string | null;
  /** For hypervisors that open the storage themselves. */
  readonly uri: string | null;
}

interface OfDisk {
  readonly disk: DiskOnNode;
}
interface OfDisks {
  readonly disks: readonly DiskOnNode[];
}

export interface DiskCalls {
  /**
   * Makes the device, with its children. `sizeMib` is that of the disk; what is there with the same
   * size is taken as it is. The value names the device for nodes that need it, and is null else.
   */
  readonly blockdev_create: Call<
    OfDisk & {
      readonly sizeMib: number;
      /** Name of the instance. */
      readonly owner: string;
      readonly onPrimary: boolean;
      /** Kept with the device: `originstname+NAME`. */
      readonly info: string;
      readonly exclusiveStorage: boolean;
    },
    string | null
  >;
  readonly blockdev_remove: Call<OfDisk, Done>;
  /** Brings the device up, on the primary for use; `index` is the position among the instance's disks. */
  readonly blockdev_assemble: Call<
    OfDisk & { readonly owner: string; readonly asPrimary: boolean; readonly index: number },
    AssembledDevice
  >;
  readonly blockdev_shutdown: Call<OfDisk, Done>;
  /** Makes devices usable (of drbd: primary) or no longer so. */
  readonly blockdev_open: Call<
    OfDisks & { readonly owner: string; readonly exclusive: boolean },
    Done
  >;
  readonly blockdev_close: Call<OfDisks & { readonly owner: string }, Done>;
  readonly blockdev_grow: Call<
    OfDisk & {
      readonly amountMib: number;
      /** Only looks whether it can be done. */
      readonly dryRun: boolean;
      /** Grows what carries the device; without it, the device over what has grown. */
      readonly backingStore: boolean;
      readonly exclusiveStorage: boolean;
    },
    Done
  >;
  /** Each disk gets the logical id beside it. */
  readonly blockdev_rename: Call<
    {
      readonly renames: readonly {
        readonly disk: DiskOnNode;
        readonly logicalId: DiskOnNode["logical_id"];
      }[];
    },
    Done
  >;
  /** Gives the mirror its local storage back, after … */
  readonly blockdev_addchildren: Call<OfDisk & { readonly children: readonly DiskOnNode[] }, Done>;
  /** … it was taken from it. */
  readonly blockdev_removechildren: Call<
    OfDisk & { readonly children: readonly DiskOnNode[] },
    Done
  >;
  /** Null if the device is not there or not up. */
  readonly blockdev_find: Call<OfDisk, DeviceStatus | null>;
  /** Fails if one is not there: `Can't find device …`. */
  readonly blockdev_getmirrorstatus: Call<OfDisks, readonly DeviceStatus[]>;
  readonly blockdev_getmirrorstatus_multi: Call<OfDisks, readonly DeviceAnswer[]>;
  /** Null for what is not there. */
  readonly blockdev_getdimensions: Call<
    OfDisks,
    readonly ({ readonly sizeMib: number; readonly spindles: number | null } | null)[]
  >;
  /** The logical id of the snapshot, which is a disk of its own. */
  readonly blockdev_snapshot: Call<
    OfDisk & { readonly name: string | null; readonly sizeMib: number | null },
    DiskOnNode["logical_id"]
  >;
  readonly blockdev_setinfo: Call<OfDisk & { readonly info: string }, Done>;
  readonly blockdev_wipe: Call<
    OfDisk & { readonly offsetMib: number; readonly sizeMib: number },
    Done
  >;
  /** Copies an image, from a path or URL, onto the device. */
  readonly blockdev_image: Call<
    OfDisk & { readonly image: string; readonly sizeMib: number },
    Done
  >;
  readonly blockdev_convert: Call<
    { readonly source: DiskOnNode; readonly target: DiskOnNode },
    Done
  >;
  /** By disk: whether it was done, else why not. */
  readonly blockdev_pause_resume_sync: Call<
    OfDisks & { readonly pause: boolean },
    readonly { readonly ok: boolean; readonly message: string | null }[]
  >;

  /** All that are up, whosesoever they are. */
  readonly drbd_list: Call<Nothing, readonly UpMirror[]>;
  /**
   * Brings the mirror down. Fails if it lies on something else by now, or is held open. The storage stays as it is.
   */
  readonly drbd_down: Call<Pick<UpMirror, "minor" | "storage">, Done>;
  readonly drbd_disconnect_net: Call<OfDisks, Done>;
  /** `multimaster`: both sides may be primary, while an instance migrates. */
  readonly drbd_attach_net: Call<OfDisks & { readonly multimaster: boolean }, Done>;
  /** Waits a while; `done` says whether all disks are synchronised, else the least of their percentages. */
  readonly drbd_wait_sync: Call<OfDisks, { readonly done: boolean; readonly syncPercent: number }>;
  /** UUIDs of disks whose devices are down. */
  readonly drbd_needs_activation: Call<OfDisks, readonly string[]>;
}

/** Disk kinds: the common interface of all disk types, and their messages. */
import {
  type AssembledDevice,
  type DeviceStatus,
  type DiskCalls,
  type DiskOnNode,
  diskLinkDirectory,
} from "@ganeti-ts/node-calls";
import type { Site } from "./site.js";

type CreateArguments = DiskCalls["blockdev_create"]["arguments"];
type GrowArguments = DiskCalls["blockdev_grow"]["arguments"];
export type AssembleArguments = DiskCalls["blockdev_assemble"]["arguments"];

/**
 * Devices of one type. Methods throw a NodeFault with the message of the storage alone; the caller
 * prefixes the attempted operation.
 */
export interface DiskKind {
  create(site: Site, disk: DiskOnNode, args: CreateArguments): void;
  /** Undefined if the device does not exist or is not active. */
  status(site: Site, disk: DiskOnNode): DeviceStatus | undefined;
  /** Does nothing if the device does not exist. */
  remove(site: Site, disk: DiskOnNode): void;
  assemble(site: Site, disk: DiskOnNode, args: AssembleArguments): void;
  shutdown(site: Site, disk: DiskOnNode): void;
  open(site: Site, disk: DiskOnNode): void;
  close(site: Site, disk: DiskOnNode): void;
  grow(site: Site, disk: DiskOnNode, args: GrowArguments): void;
  rename(site: Site, disk: DiskOnNode, logicalId: DiskOnNode["logical_id"]): void;
  setInfo(site: Site, disk: DiskOnNode, info: string): void;
  /** Undefined if the device does not exist. */
  dimensions(
    site: Site,
    disk: DiskOnNode,
  ): { readonly sizeMib: number; readonly spindles: number | null } | undefined;
  path(site: Site, disk: DiskOnNode): string;
  /** Content that an instance on this node reads; undefined if the device was not written as a whole, or does not exist. */
  image(site: Site, disk: DiskOnNode): string | undefined;
  /** Writes the device as a whole; undefined: with unknown content. Does nothing if the device does not exist. */
  write(site: Site, disk: DiskOnNode, image: string | undefined): void;
  /** Copies the existing device, in the place of an earlier snapshot of this id. Absent: devices of this type have none. */
  snapshot?(
    site: Site,
    disk: DiskOnNode,
    logicalId: DiskOnNode["logical_id"],
    sizeMib: number | null,
  ): void;
}

export const linkOf = (owner: string, index: number): string =>
  `${diskLinkDirectory}/${owner}:${index}`;

export const assembled = (path: string, args: AssembleArguments): AssembledDevice => ({
  path,
  link: args.asPrimary ? linkOf(args.instance.name, args.index) : null,
  uri: null,
});

/** Status of a device without a mirror. */
export const simpleStatus = (path: string, broken = false): DeviceStatus => ({
  path,
  major: null,
  minor: null,
  syncPercent: null,
  estimatedSeconds: null,
  degraded: broken,
  localDisk: broken ? "faulty" : "ok",
});

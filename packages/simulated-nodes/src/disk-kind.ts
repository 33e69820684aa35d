/** What kinds of disks have in common, and how they are written in messages. */
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
 * Devices of one type. `create` and so on throw a NodeFault with the message of the storage alone; what
 * was attempted is put before it by the caller.
 */
export interface DiskKind {
  create(site: Site, disk: DiskOnNode, args: CreateArguments): null;
  /** Undefined: the device is not there, or not up. */
  status(site: Site, disk: DiskOnNode): DeviceStatus | undefined;
  /** Nothing happens where it is gone already. */
  remove(site: Site, disk: DiskOnNode): void;
  assemble(site: Site, disk: DiskOnNode, args: AssembleArguments): void;
  shutdown(site: Site, disk: DiskOnNode): void;
  open(site: Site, disk: DiskOnNode): void;
  close(site: Site, disk: DiskOnNode): void;
  grow(site: Site, disk: DiskOnNode, args: GrowArguments): void;
  rename(site: Site, disk: DiskOnNode, logicalId: DiskOnNode["logical_id"]): void;
  setInfo(site: Site, disk: DiskOnNode, info: string): void;
  /** Undefined: it is not there. */
  dimensions(
    site: Site,
    disk: DiskOnNode,
  ): { readonly sizeMib: number; readonly spindles: number | null } | undefined;
  path(site: Site, disk: DiskOnNode): string;
}

const linkOf = (owner: string, index: number): string => `${diskLinkDirectory}/${owner}:${index}`;

export const assembled = (path: string, args: AssembleArguments): AssembledDevice => ({
  path,
  link: args.asPrimary ? linkOf(args.instance.name, args.index) : null,
  uri: null,
});

/** A device that is no mirror. */
export const simpleStatus = (path: string, broken = false): DeviceStatus => ({
  path,
  major: null,
  minor: null,
  syncPercent: null,
  estimatedSeconds: null,
  degraded: broken,
  localDisk: broken ? "faulty" : "ok",
});

/** A disk in Ganeti's messages. */
export function diskText(disk: DiskOnNode): string {
  const { dev_type, logical_id, children, iv_name, spindles, size } = disk;
  let text: string;
  if (dev_type === "plain") text = `<LogicalVolume(/dev/${logical_id[0]}/${logical_id[1]}`;
  else if (dev_type === "drbd") {
    const [nodeA, nodeB, port, minorA, minorB] = logical_id;
    const [data, meta] = children ?? [];
    text = `<DRBD8(hosts=${nodeA}/${minorA}-${nodeB}/${minorB}, port=${port}, `;
    text +=
      data === undefined || meta === undefined
        ? "no local storage"
        : `backend=${diskText(data)}, metadev=${diskText(meta)}`;
  } else {
    const id = logical_id.map((part) => (typeof part === "string" ? `'${part}'` : String(part)));
    text = `<Disk(type=${dev_type}, logical_id=(${id.join(", ")}), children=[]`;
  }
  text += iv_name ? `, visible as /dev/${iv_name}` : ", not visible";
  if (spindles !== null && spindles !== undefined) text += `, spindles=${spindles}`;
  return `${text}, size=${size}m)>`;
}

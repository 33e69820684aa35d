/** Disks, NICs and instances on the wire: dictionaries without null members. */
import type { DiskOnNode, InstanceOnNode, MirrorEnds, NicOnNode } from "@ganeti-ts/node-calls";
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import { withoutNulls } from "@ganeti-ts/protocol";
import type { WireContext } from "./context.js";
import { asList, asObject, type Format, keyed } from "./format.js";

const ends = keyed<MirrorEnds>({
  localIp: "local-ip",
  remoteIp: "remote-ip",
  localMinor: "local-minor",
  remoteMinor: "remote-minor",
});

/** A disk without `dynamic_params`: a child, or a disk in a call that needs no device. */
export const storedDisk: Format<DiskOnNode> = {
  encode({ children, ends: _, uuid, ...disk }, context) {
    return {
      ...withoutNulls(disk),
      // A volume that does not belong to a disk of the configuration yet has no UUID.
      ...(uuid !== "" && { uuid }),
      ...(children && { children: children.map((child) => storedDisk.encode(child, context)) }),
    };
  },
  decode(json, context) {
    const { children, uuid = "", ...disk } = asObject(json);
    return {
      ...disk,
      uuid,
      ...(children !== undefined && {
        children: asList(children).map((child) => storedDisk.decode(child, context)),
      }),
    } as unknown as DiskOnNode;
  },
};

/** A disk for one node: with `dynamic_params`, empty for all but drbd. */
export const disk: Format<DiskOnNode> = {
  encode: (value, context) => ({
    ...(storedDisk.encode(value, context) as JsonObject),
    dynamic_params: encodedEnds(value, context),
  }),
  decode(json, context) {
    const { dynamic_params: own = {}, ...stored } = asObject(json);
    const found = Object.keys(asObject(own)).length === 0 ? null : ends.decode(own, context);
    return { ...storedDisk.decode(stored, context), ends: found };
  },
};

function encodedEnds(value: DiskOnNode, context: WireContext): Json {
  const known = value.ends === undefined ? context.ends(value) : value.ends;
  return known === null ? {} : ends.encode(known, context);
}

export const nic: Format<NicOnNode> = {
  encode: (value) => withoutNulls(value),
  decode: (json) => asObject(json) as unknown as NicOnNode,
};

/** The attributes of the configuration, with UUIDs as `disks` and the disks themselves as `disks_info`. */
export const instance: Format<InstanceOnNode> = {
  encode: ({ disks, nics, ...rest }, context) => ({
    ...withoutNulls(rest),
    nics: nics.map((one) => nic.encode(one, context)),
    disks: disks.map(({ uuid }) => uuid),
    disks_info: disks.map((one) => disk.encode(one, context)),
  }),
  decode(json, context) {
    const { disks_info: disks = [], nics = [], disks: _, ...rest } = asObject(json);
    return {
      ...rest,
      nics: asList(nics).map((one) => nic.decode(one, context)),
      disks: asList(disks).map((one) => disk.decode(one, context)),
    } as unknown as InstanceOnNode;
  },
};

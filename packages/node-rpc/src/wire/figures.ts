/** Calls for information about a node. */
import type {
  FigureCalls,
  HypervisorOnNode,
  NodeCallValue,
  NodeInformation,
  NodeVolume,
  StorageKey,
  StorageSpace,
} from "@ganeti-ts/node-calls";
import type { Json } from "@ganeti-ts/protocol";
import type { CallWires } from "./call-wire.js";
import {
  asList,
  asObject,
  type Format,
  keyed,
  listOf,
  noArguments,
  nullable,
  positional,
  sizeText,
} from "./format.js";
import { hypervisorFigures, logicalVolumes } from "./resources.js";
import { verifyWire } from "./verification.js";

export const hypervisor = positional<HypervisorOnNode>("name", "hvparams");

/** A type of storage with its key; only volume groups have a parameter. */
const storageKey: Format<StorageKey> = {
  encode: ({ type, key, exclusive = false }) => [
    type,
    key,
    type.startsWith("lvm-") ? [exclusive] : [],
  ],
  decode(json) {
    const [type, key, parameters = []] = asList(json);
    const [exclusive] = asList(parameters);
    return { type, key, ...(exclusive !== undefined && { exclusive }) } as unknown as StorageKey;
  },
};

const storageSpace: Format<StorageSpace> = {
  encode: ({ type, name, size, free }) => ({ type, name, storage_size: size, storage_free: free }),
  decode(json) {
    const { type, name, storage_size: size = null, storage_free: free = null } = asObject(json);
    return { type, name, size, free } as unknown as StorageSpace;
  },
};

const nodeVolume = keyed<NodeVolume>({
  name: "name",
  volumeGroup: "vg",
  sizeMib: ["size", sizeText],
  physicalVolume: "dev",
});

const protocol: Format<{ protocol: number }> = {
  encode: ({ protocol: number }) => number,
  decode: (json: Json) => ({ protocol: json as number }),
};

/** Whether the file exists, with its attributes. */
const fileInfo: Format<NodeCallValue<"get_file_info">> = {
  encode: ({ exists, sizeBytes }) => [exists, exists ? { size: sizeBytes } : {}],
  decode(json) {
    const [exists, attributes = null] = asList(json);
    const { size = 0 } = asObject(attributes);
    return { exists: exists === true, sizeBytes: size as number };
  },
};

export const figureWires: CallWires<keyof FigureCalls> = {
  version: { arguments: noArguments, value: protocol },
  master_node_name: noArguments,
  node_info: {
    arguments: positional(
      ["storage", nullable(listOf(storageKey))],
      ["hypervisors", nullable(listOf(hypervisor))],
    ),
    value: positional<NodeInformation>(
      "bootId",
      ["storage", nullable(listOf(storageSpace))],
      ["hypervisors", nullable(listOf(hypervisorFigures))],
    ),
  },
  node_verify: verifyWire,
  node_verify_light: verifyWire,
  node_volumes: { arguments: noArguments, value: listOf(nodeVolume) },
  lv_list: { arguments: positional("volumeGroups"), value: logicalVolumes },
  vg_list: noArguments,
  bdev_sizes: positional("paths"),
  bridges_exist: positional("bridges"),
  drbd_helper: noArguments,
  node_has_ip_address: positional("address"),
  get_file_info: { arguments: positional("path"), value: fileInfo },
};

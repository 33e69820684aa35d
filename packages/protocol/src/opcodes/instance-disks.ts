/** Disks of an instance. */
import { ReplaceMode } from "./choices.js";
import { opcode } from "./define.js";
import { RecreatedDisks } from "./disk.js";
import { diskIndex, flag, listOf, nonEmpty, sizeMib, text } from "./values.js";

export const instanceDiskOpcodes = {
  OP_INSTANCE_REPLACE_DISKS: opcode("OP_INSTANCE_REPLACE_DISKS", "instance_name", {
    instance_name: text,
    instance_uuid: nonEmpty.optional(),
    early_release: flag.default(false),
    ignore_ipolicy: flag.default(false),
    mode: ReplaceMode,
    disks: listOf(diskIndex).default([]),
    remote_node: nonEmpty.optional(),
    remote_node_uuid: nonEmpty.optional(),
    iallocator: nonEmpty.optional(),
  }),
  OP_INSTANCE_ACTIVATE_DISKS: opcode("OP_INSTANCE_ACTIVATE_DISKS", "instance_name", {
    instance_name: text,
    instance_uuid: nonEmpty.optional(),
    ignore_size: flag.default(false),
    wait_for_sync: flag.default(false),
  }),
  OP_INSTANCE_DEACTIVATE_DISKS: opcode("OP_INSTANCE_DEACTIVATE_DISKS", "instance_name", {
    instance_name: text,
    instance_uuid: nonEmpty.optional(),
    force: flag.default(false),
  }),
  OP_INSTANCE_RECREATE_DISKS: opcode("OP_INSTANCE_RECREATE_DISKS", "instance_name", {
    instance_name: text,
    instance_uuid: nonEmpty.optional(),
    disks: RecreatedDisks.default([]),
    nodes: listOf(nonEmpty).default([]),
    node_uuids: listOf(nonEmpty).optional(),
    iallocator: nonEmpty.optional(),
  }),
  OP_INSTANCE_GROW_DISK: opcode("OP_INSTANCE_GROW_DISK", "instance_name", {
    instance_name: text,
    instance_uuid: nonEmpty.optional(),
    wait_for_sync: flag.default(true),
    disk: diskIndex,
    /** MiB, or a size with its unit. */
    amount: sizeMib,
    absolute: flag.default(false),
    ignore_ipolicy: flag.default(false),
  }),
  /** Not in Ganeti: repairs faulty disks on the primary, and only those. */
  OP_INSTANCE_REPAIR: opcode("OP_INSTANCE_REPAIR", "instance_name", {
    instance_name: text,
    instance_uuid: nonEmpty.optional(),
    early_release: flag.default(false),
    ignore_ipolicy: flag.default(false),
  }),
};

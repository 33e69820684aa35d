/** Exports of instances. */
import * as z from "zod";
import { ExportMode } from "./choices.js";
import { opcode } from "./define.js";
import { anything, flag, fraction, listOf, natural, nonEmpty, text, whole } from "./values.js";

export const backupOpcodes = {
  OP_BACKUP_PREPARE: opcode("OP_BACKUP_PREPARE", "instance_name", {
    instance_name: text,
    instance_uuid: nonEmpty.optional(),
    mode: ExportMode,
  }),
  OP_BACKUP_EXPORT: opcode("OP_BACKUP_EXPORT", "instance_name", {
    instance_name: text,
    instance_uuid: nonEmpty.optional(),
    compress: text.default("none"),
    shutdown_timeout: natural.default(120),
    /** For a local export a node; for a remote one the receiver's data about each disk. */
    target_node: z.union([nonEmpty, listOf(anything)]),
    target_node_uuid: nonEmpty.optional(),
    shutdown: flag.default(true),
    remove_instance: flag.default(false),
    ignore_remove_failures: flag.default(false),
    mode: ExportMode.default("local"),
    x509_key_name: listOf(anything).optional(),
    destination_x509_ca: nonEmpty.optional(),
    zero_free_space: flag.default(false),
    zeroing_timeout_fixed: whole.optional(),
    zeroing_timeout_per_mib: fraction.optional(),
    long_sleep: flag.default(false),
  }),
  OP_BACKUP_REMOVE: opcode("OP_BACKUP_REMOVE", "instance_name", {
    instance_name: text,
    instance_uuid: nonEmpty.optional(),
  }),
};

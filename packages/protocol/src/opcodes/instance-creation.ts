/** Opcodes that create instances, real and forthcoming. */
import * as z from "zod";
import { isJsonObject } from "../jobs/json-value.js";
import { withoutBlanks } from "./blanks.js";
import { CreateMode, DiskTemplateChoice, FileDriver, HypervisorChoice } from "./choices.js";
import { opcode } from "./define.js";
import { OpcodeDisk } from "./disk.js";
import { OpcodeNic } from "./nic.js";
import { anything, dict, flag, listOf, natural, nonEmpty, text, whole } from "./values.js";

const { schema, shown } = opcode("OP_INSTANCE_CREATE", "instance_name", {
  instance_name: text.optional(),
  force_variant: flag.default(false),
  wait_for_sync: flag.default(true),
  name_check: flag.default(false),
  ignore_ipolicy: flag.default(false),
  opportunistic_locking: flag.default(false),
  beparams: dict.default({}),
  disks: listOf(OpcodeDisk).optional(),
  disk_template: DiskTemplateChoice.optional(),
  group_name: nonEmpty.optional(),
  file_driver: FileDriver.optional(),
  file_storage_dir: nonEmpty.optional(),
  hvparams: dict.default({}),
  hypervisor: HypervisorChoice.optional(),
  iallocator: nonEmpty.optional(),
  identify_defaults: flag.default(false),
  ip_check: flag.default(false),
  conflicts_check: flag.default(true),
  mode: CreateMode.optional(),
  nics: listOf(OpcodeNic).optional(),
  no_install: flag.optional(),
  osparams: dict.default({}),
  osparams_private: dict.optional(),
  osparams_secret: dict.optional(),
  os_type: nonEmpty.optional(),
  pnode: nonEmpty.optional(),
  pnode_uuid: nonEmpty.optional(),
  snode: nonEmpty.optional(),
  snode_uuid: nonEmpty.optional(),
  source_handshake: listOf(anything).optional(),
  source_instance_name: nonEmpty.optional(),
  source_shutdown_timeout: natural.default(120),
  source_x509_ca: nonEmpty.optional(),
  src_node: nonEmpty.optional(),
  src_node_uuid: nonEmpty.optional(),
  src_path: nonEmpty.optional(),
  compress: text.default("none"),
  start: flag.default(true),
  /** Only reserves the name and the resources; nothing else is mandatory then. */
  forthcoming: flag.default(false),
  /** Makes a forthcoming instance real; missing parameters come from it. */
  commit: flag.default(false),
  tags: listOf(nonEmpty).default([]),
  instance_communication: flag.default(false),
  helper_startup_timeout: whole.optional(),
  helper_shutdown_timeout: whole.optional(),
});

/** Mandatory parameters of a new instance, unless it is forthcoming or created from a forthcoming one. */
const mandatory = ["instance_name", "disks", "mode", "nics"] as const;

const isComplete = (name: (typeof mandatory)[number]) => (given: z.output<typeof schema>) =>
  given[name] !== undefined ||
  given.forthcoming === true ||
  (given.commit === true && name !== "instance_name");

const InstanceCreate = mandatory.reduce(
  // Runs even if there are other faults, because the first fault is the one reported.
  (checked, name) => checked.refine(isComplete(name), { path: [name], when: () => true }),
  schema,
);

/** An instance to create together with others: the same opcode, whose `OP_ID` may be omitted. */
const InstanceToCreate = z.preprocess(
  (given) =>
    isJsonObject(given)
      ? withoutBlanks(schema.shape, { OP_ID: "OP_INSTANCE_CREATE", ...given })
      : given,
  InstanceCreate,
);

export const instanceCreationOpcodes = {
  OP_INSTANCE_CREATE: { schema: InstanceCreate, shown },
  OP_INSTANCE_MULTI_ALLOC: opcode("OP_INSTANCE_MULTI_ALLOC", null, {
    opportunistic_locking: flag.default(false),
    iallocator: nonEmpty.optional(),
    instances: listOf(InstanceToCreate).default([]),
  }),
};

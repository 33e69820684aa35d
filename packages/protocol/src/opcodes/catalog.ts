/** Catalogue of all opcodes, by `OP_ID`. */
import type * as z from "zod";
import { backupOpcodes } from "./backups.js";
import { clusterOpcodes } from "./cluster.js";
import { groupOpcodes } from "./groups.js";
import { instanceCreationOpcodes } from "./instance-creation.js";
import { instanceDiskOpcodes } from "./instance-disks.js";
import { instanceOpcodes } from "./instances.js";
import { networkOpcodes } from "./networks.js";
import { nodeOpcodes } from "./nodes.js";
import { queryOpcodes } from "./queries.js";
import { tagOpcodes } from "./tags.js";
import { testOpcodes } from "./tests.js";
import { verificationOpcodes } from "./verification.js";

/** Per opcode its schema, and the parameter shown in lists. */
export const opcodeCatalog = {
  ...clusterOpcodes,
  ...verificationOpcodes,
  ...groupOpcodes,
  ...nodeOpcodes,
  ...networkOpcodes,
  ...instanceCreationOpcodes,
  ...instanceOpcodes,
  ...instanceDiskOpcodes,
  ...backupOpcodes,
  ...tagOpcodes,
  ...queryOpcodes,
  ...testOpcodes,
};

type Catalog = typeof opcodeCatalog;

/** The `OP_ID` of one of Ganeti's opcodes. */
export type OpcodeId = keyof Catalog;

/** A validated opcode: defaults are filled in, and missing parameters without a default are absent. */
export type OpcodeOf<Id extends OpcodeId> = z.output<Catalog[Id]["schema"]>;

/** Any opcode, discriminated by `OP_ID`. */
export type AnyOpcode = { [Id in OpcodeId]: OpcodeOf<Id> }[OpcodeId];

/** Accepted input of an opcode. */
export type OpcodeInput<Id extends OpcodeId> = z.input<Catalog[Id]["schema"]>;

/** Whether a value is the `OP_ID` of one of Ganeti's opcodes. */
export const isOpcodeId = (id: unknown): id is OpcodeId =>
  typeof id === "string" && Object.hasOwn(opcodeCatalog, id);

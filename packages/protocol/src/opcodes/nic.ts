/** NIC parameters of opcodes. */
import * as z from "zod";
import { changesOf } from "./disk.js";

const value = z.string().nullable().optional();
const aliases: ReadonlyMap<string, string> = new Map([
  ["bridge", "bridged"],
  ["route", "routed"],
]);

/** A NIC to create, or changes to one; null is equivalent to the word `none`. */
export const OpcodeNic = z.strictObject({
  /** An address, `auto` or `generate`. */
  mac: value,
  /** An address, `auto` (that of the instance's name) or `pool` (one of the network). */
  ip: value,
  /** `bridge` and `route` are accepted for `bridged` and `routed`. */
  mode: z
    .string()
    .transform((mode) => aliases.get(mode) ?? mode)
    .nullable()
    .optional(),
  link: value,
  vlan: value,
  bridge: value,
  name: value,
  network: value,
});
export type OpcodeNic = z.infer<typeof OpcodeNic>;

/** Schema of the changes of NICs in `OP_INSTANCE_SET_PARAMS`. */
export const NicChanges = changesOf(OpcodeNic);
export type NicChanges = z.infer<typeof NicChanges>;

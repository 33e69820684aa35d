/** NICs as opcodes describe them. */
import * as z from "zod";
import { changesOf } from "./disk.js";

const value = z.string().nullable().optional();
const aliases: ReadonlyMap<string, string> = new Map([
  ["bridge", "bridged"],
  ["route", "routed"],
]);

/** A NIC to be made, or what of one is changed; null is the same as the word `none`. */
export const OpcodeNic = z.strictObject({
  /** An address, `auto` or `generate`. */
  mac: value,
  /** An address, `auto` (that of the instance's name) or `pool` (one of the network). */
  ip: value,
  /** `bridge` and `route` are taken for `bridged` and `routed`. */
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

export const NicChanges = changesOf(OpcodeNic);
export type NicChanges = z.infer<typeof NicChanges>;

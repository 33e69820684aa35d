/** UUIDs of configuration objects, with one type for each kind of object. */
import * as z from "zod";

/** Lower-case hexadecimal, 8-4-4-4-12. */
const uuidPattern = /^[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}$/;

/** Names must contain a dot if they have this form, so a text is either a UUID or a name, never both. */
export const isUuid = (text: string): boolean => uuidPattern.test(text);

/** UUID of a node. */
export const NodeUuid = z.string().brand<"NodeUuid">();
export type NodeUuid = z.infer<typeof NodeUuid>;

/** UUID of an instance. */
export const InstanceUuid = z.string().brand<"InstanceUuid">();
export type InstanceUuid = z.infer<typeof InstanceUuid>;

/** UUID of a disk. */
export const DiskUuid = z.string().brand<"DiskUuid">();
export type DiskUuid = z.infer<typeof DiskUuid>;

/** UUID of a claim. */
export const ClaimUuid = z.string().brand<"ClaimUuid">();
export type ClaimUuid = z.infer<typeof ClaimUuid>;

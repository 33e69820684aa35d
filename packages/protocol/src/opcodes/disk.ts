/** Disks as opcodes describe them, and how those of an instance are changed. */
import * as z from "zod";
import { DiskTemplateChoice } from "./choices.js";
import { dict, natural, nonEmpty, sizeMib } from "./values.js";

/**
 * A disk to be made, or what of one is changed. Its size is in MiB; further keys are parameters of
 * an external storage provider.
 */
export const OpcodeDisk = z
  .object({
    size: sizeMib.optional(),
    /** `rw` or `ro`. */
    mode: nonEmpty.optional(),
    /** An existing volume that becomes this disk. */
    adopt: nonEmpty.optional(),
    vg: nonEmpty.optional(),
    /** The volume group for the metadata of drbd. */
    metavg: nonEmpty.optional(),
    name: nonEmpty.optional(),
    provider: nonEmpty.optional(),
    spindles: natural.optional(),
    access: nonEmpty.optional(),
    /** Of an existing disk that is attached. */
    uuid: nonEmpty.optional(),
  })
  // Undefined for the sake of types: a key of any name may be absent, as those above.
  .catchall(z.union([nonEmpty, z.int()]).optional());
export type OpcodeDisk = z.infer<typeof OpcodeDisk>;

/** Which disk or NIC a change is about: its index (-1 is the end), its name or its UUID. */
export const DeviceReference = z.union([
  z.int(),
  z.string().transform((given) => (/^-?\d+$/.test(given) ? Number(given) : given)),
]);

const action = z.enum(["add", "attach", "modify", "remove", "detach"]);
const oldAction = z.enum(["add", "attach", "remove", "detach"]);

/**
 * Changes of devices, one after the other, as `[action, device, parameters]`. The older form of two,
 * `["add", parameters]`, `["remove", parameters]` or `[index, parameters]`, becomes that of three.
 */
export function changesOf<Parameters extends z.ZodType>(parameters: Parameters) {
  type Change = [z.output<typeof action>, number | string, z.output<Parameters>];
  const change = z.tuple([action, DeviceReference, parameters]);
  const ofEnd = z
    .tuple([oldAction, parameters])
    .transform(([what, given]) => [what, -1, given] as Change);
  const ofIndex = z
    .tuple([natural, parameters])
    .transform(([at, given]) => ["modify", at, given] as Change);
  return z.array(z.union([change, ofEnd, ofIndex]));
}

export const DiskChanges = changesOf(OpcodeDisk);
export type DiskChanges = z.infer<typeof DiskChanges>;

/** Which disks are made again, with what changed of each; an index alone changes nothing of it. */
export const RecreatedDisks = z.array(
  z.union([
    natural.transform((at): [number, OpcodeDisk] => [at, {}]),
    z.tuple([natural, OpcodeDisk]),
  ]),
);

/** Parameters of disks, by their template. */
export const DiskParameters = z.partialRecord(DiskTemplateChoice, dict);

/** Disk parameters of opcodes, and changes to the disks of an instance. */
import * as z from "zod";
import { DiskTemplateChoice } from "./choices.js";
import { dict, natural, nonEmpty, sizeMib } from "./values.js";

/**
 * A disk to create, or changes to one. Its size is in MiB; further keys are parameters of an external storage
 * provider.
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
    /** UUID of an existing disk to attach. */
    uuid: nonEmpty.optional(),
  })
  // Undefined only for the type checker: the keys above are optional, and the catch-all must include them.
  .catchall(z.union([nonEmpty, z.int()]).optional());
export type OpcodeDisk = z.infer<typeof OpcodeDisk>;

/** The disk or NIC that a change applies to: its index (-1 is the end), its name or its UUID. */
const DeviceReference = z.union([
  z.int(),
  z.string().transform((given) => (/^-?\d+$/.test(given) ? Number(given) : given)),
]);

const action = z.enum(["add", "attach", "modify", "remove", "detach"]);
const oldAction = z.enum(["add", "attach", "remove", "detach"]);

/**
 * Changes of devices in order, as `[action, device, parameters]`. The older forms `["add", parameters]`,
 * `["remove", parameters]` and `[index, parameters]` are converted to this form.
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

/** Schema of the changes of disks in `OP_INSTANCE_SET_PARAMS`. */
export const DiskChanges = changesOf(OpcodeDisk);
export type DiskChanges = z.infer<typeof DiskChanges>;

/** Disks to recreate, with changes to each; an index alone means no change. */
export const RecreatedDisks = z.array(
  z.union([
    natural.transform((at): [number, OpcodeDisk] => [at, {}]),
    z.tuple([natural, OpcodeDisk]),
  ]),
);

/** Parameters of disks, by their template. */
export const DiskParameters = z.partialRecord(
  // `default` stands for every template that has the parameter.
  z.union([DiskTemplateChoice, z.literal("default")]),
  dict,
);

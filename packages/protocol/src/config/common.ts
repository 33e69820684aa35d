/** What configuration objects have in common. Keys are those of `config.data`; an absent key means null. */
import * as z from "zod";

/** Seconds since the epoch, with a fraction. */
const EpochSeconds = z.number();

/** How often an object was changed, and when: kept by the configuration, never by who changes it. */
export const stamps = {
  serial_no: z.int().optional(),
  ctime: EpochSeconds.optional(),
  mtime: EpochSeconds.optional(),
};

export const Tags = z.array(z.string()).readonly();

/** A value of a parameter; a private one that was removed from what leaves the master is null. */
export const ParameterValue = z.union([z.string(), z.number(), z.boolean(), z.null()]);
export type ParameterValue = z.infer<typeof ParameterValue>;

/** Parameters by name, as hypervisors, operating systems and disk templates have them. */
export const Parameters = z.record(z.string(), ParameterValue).readonly();
export type Parameters = z.infer<typeof Parameters>;

/** What somebody has written down of hypervisors, and of the disks of each storage type by the storage's name. */
export const staticStates = {
  hv_state_static: z.record(z.string(), Parameters).readonly().optional(),
  disk_state_static: z
    .record(z.string(), z.record(z.string(), Parameters).readonly())
    .readonly()
    .optional(),
};

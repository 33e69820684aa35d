/** Parts common to configuration objects. Keys are those of `config.data`; an absent key means null. */
import * as z from "zod";

/** Seconds since the epoch, with a fraction. */
const EpochSeconds = z.number();

/**
 * Serial number and times of changes; the configuration maintains them, not the code that changes objects.
 */
export const stamps = {
  serial_no: z.int().optional(),
  ctime: EpochSeconds.optional(),
  mtime: EpochSeconds.optional(),
};

export const Tags = z.array(z.string()).readonly();

/** A parameter value; null replaces a private value that must not leave the master. */
export const ParameterValue = z.union([z.string(), z.number(), z.boolean(), z.null()]);
export type ParameterValue = z.infer<typeof ParameterValue>;

/** Parameters by name, as hypervisors, operating systems and disk templates have them. */
export const Parameters = z.record(z.string(), ParameterValue).readonly();
export type Parameters = z.infer<typeof Parameters>;

/** Manually recorded states of hypervisors, and of the disks of each storage type by the storage's name. */
export const staticStates = {
  hv_state_static: z.record(z.string(), Parameters).readonly().optional(),
  disk_state_static: z
    .record(z.string(), z.record(z.string(), Parameters).readonly())
    .readonly()
    .optional(),
};

/** Fields common to all objects of the RAPI, and parameters whose values are for information only. */
import * as z from "zod";

/** Seconds since the epoch, and the number of changes. */
export const wireStamps = {
  ctime: z.number().nullish(),
  mtime: z.number().nullish(),
  serial_no: z.int().nullish(),
};

/** Parameters by name; their values are defined elsewhere. */
export const WireParameters = z.record(z.string(), z.unknown());

/** Sets of parameters by hypervisor, disk template or operating system. */
export const WireParameterSets = z.record(z.string(), WireParameters);

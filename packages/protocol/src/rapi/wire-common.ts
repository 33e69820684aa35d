/** What the RAPI shows of every object beside what it is, and values that only tell people something. */
import * as z from "zod";

/** Seconds since the epoch, and how many changes there have been. */
export const wireStamps = {
  ctime: z.number().nullish(),
  mtime: z.number().nullish(),
  serial_no: z.int().nullish(),
};

/** Parameters by name; their own tables say what each may be. */
export const WireParameters = z.record(z.string(), z.unknown());

/** Sets of parameters by what they are for: a hypervisor, a disk template, an operating system. */
export const WireParameterSets = z.record(z.string(), WireParameters);

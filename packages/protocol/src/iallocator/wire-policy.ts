/** Schemas of instance policies, the only objects in which an unknown key is refused. */
import * as z from "zod";
import { diskTemplates } from "../cluster-data.js";
import { Count, Ratio, SizeMib } from "../units.js";

/** Schema of disk templates. */
export const WireDiskTemplate = z.enum(diskTemplates);
export type WireDiskTemplate = z.infer<typeof WireDiskTemplate>;

/** One bound of a policy. */
export const WireSpec = z.strictObject({
  "memory-size": SizeMib,
  "cpu-count": Count,
  "disk-size": SizeMib,
  "disk-count": Count,
  "nic-count": Count,
  "spindle-use": Count,
});
export type WireSpec = z.infer<typeof WireSpec>;

/** Limits of a group for its instances; complete, nothing is inherited from the cluster. */
export const WirePolicy = z.strictObject({
  /** An instance must fit one of these; an empty list accepts every size. */
  minmax: z.array(z.strictObject({ min: WireSpec, max: WireSpec })),
  std: WireSpec,
  "disk-templates": z.array(WireDiskTemplate),
  "vcpu-ratio": Ratio,
  "spindle-ratio": Ratio,
});
export type WirePolicy = z.infer<typeof WirePolicy>;

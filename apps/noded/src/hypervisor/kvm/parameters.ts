/** Typed access to filled hypervisor parameters. */
import type { HvParams } from "../hypervisor.js";

/** A text parameter; empty if it is absent. */
export function text(hvparams: HvParams, name: string): string {
  const value = hvparams[name];
  return value === undefined || value === null ? "" : String(value);
}

/** A boolean parameter; false if it is absent. */
export const flag = (hvparams: HvParams, name: string): boolean => hvparams[name] === true;

/** A number parameter; `byDefault` if it is absent. */
export function count(hvparams: HvParams, name: string, byDefault = 0): number {
  const value = hvparams[name];
  return typeof value === "number" ? value : byDefault;
}

const scsiTypes: ReadonlySet<string> = new Set([
  "scsi-block",
  "scsi-generic",
  "scsi-hd",
  "scsi-cd",
]);

/** Whether disks of this type are attached to a SCSI controller. */
export const isOnScsiController = (diskType: string): boolean => scsiTypes.has(diskType);

/** Whether the instance boots from a kernel of the node, so that boot options are not used. */
export const hasKernel = (hvparams: HvParams): boolean => text(hvparams, "kernel_path") !== "";

export const bootsFrom = (hvparams: HvParams, device: string): boolean =>
  !hasKernel(hvparams) && text(hvparams, "boot_order") === device;

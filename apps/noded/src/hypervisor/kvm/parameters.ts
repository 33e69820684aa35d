/** Typed access to filled hypervisor parameters. */
import type { HvParams } from "../hypervisor.js";

/** Empty for an absent parameter. */
export function text(hvparams: HvParams, name: string): string {
  const value = hvparams[name];
  return value === undefined || value === null ? "" : String(value);
}

/** False for an absent parameter. */
export const flag = (hvparams: HvParams, name: string): boolean => hvparams[name] === true;

/** `byDefault` for an absent parameter. */
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

/** Types of disks that sit on a controller of their own. */
export const isOnScsiController = (diskType: string): boolean => scsiTypes.has(diskType);

/** Booted from a kernel of the node: then there are no boot options. */
export const hasKernel = (hvparams: HvParams): boolean => text(hvparams, "kernel_path") !== "";

export const bootsFrom = (hvparams: HvParams, device: string): boolean =>
  !hasKernel(hvparams) && text(hvparams, "boot_order") === device;

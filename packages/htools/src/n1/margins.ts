/** Resources that newcomers may take from other nodes than the one being emptied. */
import type { Instance } from "../model/instance.js";

export interface Margins {
  /** Maximum on any one node, and in total, in MiB. */
  readonly memoryMib: number;
  /** Maximum on any one node, in MiB. */
  readonly diskMib: number;
  readonly diskTotalMib: number;
  /** Maximum number of nodes they are on. */
  readonly places: number;
}

export const noMargins: Margins = { memoryMib: 0, diskMib: 0, diskTotalMib: 0, places: 0 };

/** @param copies the number of nodes that it needs */
export function marginsOf({ usesMemory, memoryMib, local, diskMib }: Instance, copies: 1 | 2) {
  const memory = usesMemory ? Math.max(0, memoryMib) : 0;
  const disk = local ? Math.max(0, diskMib) : 0;
  return margins(memory, disk, copies);
}

export const margins = (memoryMib: number, diskMib: number, copies: 1 | 2): Margins => ({
  memoryMib,
  diskMib,
  diskTotalMib: copies * diskMib,
  places: memoryMib > 0 || diskMib > 0 ? copies : 0,
});

/** Exclusive storage: each physical volume (spindle) holds one logical volume. */
import type { DiskOnNode } from "@ganeti-ts/node-calls";
import type { NodeContext } from "../../context.js";
import { NodeFailure } from "../../failure.js";
import { floatText } from "../programs.js";
import type { PhysicalVolumeSpace } from "./space.js";

/** Fraction by which sizes may differ and still count as equal, and the fraction reserved for metadata. */
const margin = 0.01;
const reserve = 0.02;

/** Size (MiB) that every physical volume can provide at least, without its metadata. */
export const standardSizeMib = (volumes: readonly PhysicalVolumeSpace[]): number =>
  Math.floor(Math.min(...volumes.map(({ sizeMib }) => sizeMib)) / (1 + margin + reserve));

const emptyOnes = (volumes: readonly PhysicalVolumeSpace[]): readonly PhysicalVolumeSpace[] =>
  volumes.filter(({ sizeMib, freeMib }) => sizeMib <= freeMib + 1);

/** Warns if the sizes of physical volumes differ too much for a standard size to be meaningful. */
export function warnOfSizes(
  volumes: readonly PhysicalVolumeSpace[],
  log: Pick<NodeContext["log"], "warn">,
): void {
  const sizes = volumes.map(({ sizeMib }) => sizeMib);
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  if (least * (1 + margin) < most * (1 - margin)) {
    log.warn(`Sizes of physical volumes differ too much: ${least} to ${most} MiB`);
  }
}

/** The empty physical volumes for a new disk: as many as the disk has spindles. */
export function spindlesFor(
  { spindles }: Pick<DiskOnNode, "spindles">,
  sizeMib: number,
  volumes: readonly PhysicalVolumeSpace[],
): readonly PhysicalVolumeSpace[] {
  if (spindles === null || spindles === undefined) {
    throw new NodeFailure(
      // Ganeti's text [sic], without the blank after "required".
      "Unspecified number of spindles: this is requiredwhen exclusive storage is enabled, try running gnt-cluster repair-disk-sizes",
    );
  }
  const needed = Math.ceil(sizeMib / standardSizeMib(volumes));
  if (spindles < needed) {
    throw new NodeFailure(
      `Requested number of spindles (${spindles}) is not enough for a disk of ${sizeMib} MB (at least ${needed} spindles needed)`,
    );
  }
  const empty = emptyOnes(volumes);
  if (empty.length < spindles) {
    throw new NodeFailure(
      `Not enough empty PVs (spindles) to create a disk of ${sizeMib} MB: ${empty.length} available, ${spindles} needed`,
    );
  }
  return empty.slice(0, spindles);
}

/** Refuses growth if the disk's own physical volumes do not have enough room. */
export function checkRoomToGrow(
  path: string,
  requiredMib: number,
  own: readonly PhysicalVolumeSpace[],
  standardMib: number,
): void {
  const available = own.reduce(
    (sum, { freeMib, sizeMib }) => sum + freeMib - (sizeMib - standardMib),
    0,
  );
  if (requiredMib > available) {
    throw new NodeFailure(
      `Not enough free space to grow ${path}: ${Math.trunc(requiredMib)} MiB required, ${Math.trunc(available)} available`,
    );
  }
}

/** Free and total space of a volume group with exclusive storage. */
export function exclusiveSpace(volumes: readonly PhysicalVolumeSpace[]): {
  readonly freeMib: number;
  readonly emptyCount: number;
} {
  const emptyCount = emptyOnes(volumes).length;
  return { emptyCount, freeMib: volumes.length === 0 ? 0 : standardSizeMib(volumes) * emptyCount };
}

/** Failure for insufficient space. */
export const notEnough = (requiredMib: number, availableMib: number): NodeFailure =>
  new NodeFailure(
    `Not enough free space: required ${requiredMib}, available ${floatText(availableMib)}`,
  );

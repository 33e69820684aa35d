/** Table of the placed instances (`-v -v`). */
import type { CapacityRun } from "@ganeti-ts/htools";

/** One row per instance in the order of placement, without a header. */
export function allocationMap({ placed, after }: CapacityRun): string {
  const { nodes } = after.data;
  const spindlesCount = nodes.some(({ exclusiveStorage }) => exclusiveStorage);
  const nameOf = (node: number) => nodes[node]?.name ?? "";
  const rows = placed.map(({ spec, primary, secondary }, index) => [
    `new-${index}`,
    nameOf(primary),
    secondary < 0 ? "" : nameOf(secondary),
    String(spec.memoryMib),
    String(spec.diskMib),
    String(spec.vcpus),
    spindlesCount ? String(spec.spindles) : "",
  ]);
  const widths = [0, 1, 2, 3, 4, 5, 6].map((column) =>
    rows.reduce((widest, row) => Math.max(widest, (row[column] as string).length), 0),
  );
  return rows
    .map((row) => {
      const cells = row.map((cell, column) => {
        const width = widths[column] as number;
        return column < 3 ? cell.padEnd(width) : cell.padStart(width);
      });
      return ` ${cells.join(" ")}\n`;
    })
    .join("");
}

/** Application of suggested changes to the form. */
import type { Change } from "../../api/explanation.js";
import { mibOf, typedSize } from "../../sizes.js";
import { tagsOf, type Wanted } from "./wanted.js";

export const applied = (wanted: Wanted, changes: readonly Change[]): Wanted =>
  changes.reduce(oneApplied, wanted);

function oneApplied(wanted: Wanted, { kind, resource, by = 0, tag }: Change): Wanted {
  if (kind === "drop-group-name") return { ...wanted, group: "" };
  if (kind === "remove-tag") {
    return {
      ...wanted,
      tags: tagsOf(wanted)
        .filter((one) => one !== tag)
        .join(" "),
    };
  }
  switch (resource) {
    case "memory":
      return { ...wanted, memory: typedSize((mibOf(wanted.memory) ?? 0) + by) };
    case "vcpus":
      return { ...wanted, vcpus: String(Number(wanted.vcpus) + by) };
    case "disks":
      return { ...wanted, disks: wanted.disks.slice(0, by) };
    default:
      return { ...wanted, disks: resized(wanted.disks, by) };
  }
}

/** Resizes disks as hail does: takes from the largest, or adds to the smallest, one MiB at a time. */
function resized(disks: readonly string[], by: number): readonly string[] {
  const sign = Math.sign(by);
  const sizes = disks.map((disk) => sign * (mibOf(disk) ?? 0));
  const needed = (level: number) => sizes.reduce((sum, size) => sum + Math.max(0, level - size), 0);
  let low = Math.min(...sizes);
  let high = low + Math.abs(by) + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (needed(middle) >= Math.abs(by)) high = middle;
    else low = middle + 1;
  }
  // Resizing to this level is not quite enough, so the first disks in order change by one MiB more.
  const level = low - 1;
  const extra = Math.abs(by) - needed(level);
  const order = sizes.map((_, at) => at).toSorted((a, b) => (sizes[a] ?? 0) - (sizes[b] ?? 0));
  return sizes.map((size, at) =>
    typedSize(sign * (Math.max(size, level) + Number(order.indexOf(at) < extra))),
  );
}

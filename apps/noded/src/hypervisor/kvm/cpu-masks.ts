/** CPU masks: the processors of the node on which virtual ones may run. */
import { NodeFailure } from "../../failure.js";

/** Null: all processors. */
export type CpuMask = readonly number[] | null;

/** `1-3,8:all`: one mask for the whole instance, or one for each of its vcpus. */
export const cpuMasks = (text: string): readonly CpuMask[] => text.split(":").map(mask);

function mask(text: string): CpuMask {
  if (text === "all") return null;
  return [...new Set(text.split(",").flatMap(range))].sort((a, b) => a - b);
}

function range(text: string): readonly number[] {
  const [from = "", to = from, ...more] = text.split("-");
  if (more.length > 0) {
    throw new NodeFailure(`Invalid CPU ID range definition (only one hyphen allowed): ${text}`);
  }
  const [lower, higher] = [bound(from, "lower", text), bound(to, "higher", text)];
  if (lower > higher) {
    throw new NodeFailure(`Invalid CPU ID range definition (${lower} > ${higher}): ${text}`);
  }
  return Array.from({ length: higher - lower + 1 }, (_, index) => lower + index);
}

function bound(text: string, which: "lower" | "higher", whole: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw new NodeFailure(`Invalid CPU ID value for ${which} boundary of CPU ID range: ${whole}`);
}

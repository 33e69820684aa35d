/** Pinning of an instance to processors of the node. */
import type { NodeContext } from "../../context.js";
import { NodeFailure } from "../../failure.js";
import { outputOf, succeeded } from "../../machine/runner.js";
import type { HvParams } from "../hypervisor.js";
import { text } from "./parameters.js";
import type { Qmp } from "./qmp.js";

type Ports = Pick<NodeContext, "run">;

/**
 * Pins all threads to one mask, or the thread of each vcpu to its own mask. The number of vcpus comes from QEMU, because
 * that of the configuration may have changed since the start.
 */
export async function pin(
  ports: Ports,
  hvparams: HvParams,
  machine: { readonly pid: number; readonly qmp: Qmp },
): Promise<void> {
  const masks = cpuMasks(text(hvparams, "cpu_mask") || "all");
  if (masks.length === 1) {
    const [mask] = masks;
    if (mask) await taskset(ports, ["-apc", mask.join(), String(machine.pid)]);
    return;
  }
  const cpus = (await machine.qmp.execute("query-cpus-fast")) as {
    "cpu-index": number;
    "thread-id": number;
  }[];
  if (masks.length !== cpus.length) {
    throw new NodeFailure(
      `Number of CPU masks (${masks.length}) doesn't match number of vCPUs (${cpus.length})`,
    );
  }
  for (const cpu of cpus) {
    const mask = masks[cpu["cpu-index"]];
    if (mask) await taskset(ports, ["-pc", mask.join(), String(cpu["thread-id"])]);
  }
}

async function taskset({ run }: Ports, args: readonly string[]): Promise<void> {
  const ended = await run.run({ program: "taskset", args, timeoutMs: 30_000 });
  if (!succeeded(ended)) throw new NodeFailure(`Failed to pin: ${outputOf(ended).trim()}`);
}

/** Null: all processors. */
type CpuMask = readonly number[] | null;

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

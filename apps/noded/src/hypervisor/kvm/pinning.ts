/** Pinning of an instance to processors of the node. */
import type { NodeContext } from "../../context.js";
import { NodeFailure } from "../../failure.js";
import { outputOf, succeeded } from "../../machine/runner.js";
import type { HvParams } from "../hypervisor.js";
import { cpuMasks } from "./cpu-masks.js";
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

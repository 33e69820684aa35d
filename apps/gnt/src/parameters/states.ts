/** Opcode parameters from --hypervisor-state, --disk-state and --disk-parameters. */
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import type { IdParameters, OptionValues } from "../invocation.js";
import { given } from "../opcode.js";

/**
 * Values of a repeatable option by id; the last one per id counts. Undefined if it was not given.
 */
export function byId(values: readonly IdParameters[]): JsonObject | undefined {
  if (values.length === 0) return undefined;
  return Object.fromEntries(values) as Record<string, Json>;
}

/** `hv_state` by hypervisor; `disk_state` by type, then by name: `lvm/xenvg` has two levels. */
export const statesOf = (options: OptionValues): JsonObject =>
  given({
    hv_state: byId(options.idKeyValues("hypervisor-state")),
    disk_state: stepwise(options.idKeyValues("disk-state")),
  });

function stepwise(values: readonly IdParameters[]): JsonObject | undefined {
  if (values.length === 0) return undefined;
  const root: Record<string, Json> = {};
  for (const [path, parameters] of values) {
    const steps = path.split("/");
    const last = steps.pop() as string;
    let at = root;
    for (const step of steps) {
      at[step] ??= {};
      at = at[step] as Record<string, Json>;
    }
    at[last] = parameters as Json;
  }
  return root;
}

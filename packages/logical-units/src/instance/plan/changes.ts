/** Device changes: the device each one is about, and its entries in the result. */
import { ExecError, PrereqError } from "@ganeti-ts/job-queue";
import type { Json } from "@ganeti-ts/protocol";
import { wrongInput } from "../../unit/refusals.js";

/** `[parameter, new value]`, as listed in the result. */
export type Changed = readonly [string, Json];

export type Kind = "disk" | "NIC";

interface Device {
  readonly uuid: string;
  readonly name?: string | undefined;
}

/** Position of a new device; -1 is the end. */
export function newIndex(kind: Kind, reference: number | string, count: number): number {
  if (typeof reference !== "number") wrongInput("Only positive integer or -1 is accepted");
  if (reference === -1) return count;
  mustExist(kind, reference, count);
  return reference;
}

/** Index of the device, given by index, name or UUID; -1 is the last. */
export function indexOf(
  kind: Kind,
  reference: number | string,
  devices: readonly Device[],
): number {
  if (typeof reference === "number") {
    if (reference === -1 && devices.length > 0) return devices.length - 1;
    if (reference !== -1) mustExist(kind, reference, devices.length);
    // Ganeti's message for an index one past the end, and for the last of no devices.
    if (reference === devices.length || reference === -1)
      throw new ExecError("list index out of range");
    return reference;
  }
  const at = devices.findIndex(({ uuid, name }) => uuid === reference || name === reference);
  if (at >= 0) return at;
  if (kind === "disk")
    throw new PrereqError("unknown_entity", `Lookup of disk '${reference}' failed`);
  throw new PrereqError("unknown_entity", `Cannot find NIC with identifier ${reference}`);
}

function mustExist(kind: Kind, index: number, count: number): void {
  if (index < 0) throw new ExecError("Not accepting negative indices other than -1");
  if (index > count) throw new ExecError(`Got ${kind} index ${index}, but there are only ${count}`);
}

/** A removal takes no parameters. */
export function checkNothingGiven(kind: Kind, action: string, given: object): void {
  const isGone = action === "remove" || action === "detach";
  if (!isGone || Object.keys(given).length === 0) return;
  wrongInput(`No settings should be passed when removing or detaching a ${kind}`);
}

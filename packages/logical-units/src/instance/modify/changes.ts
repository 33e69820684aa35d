/** Lists of changes to devices: which device is meant, and what the result says of each. */

import { ExecError, PrereqError } from "@ganeti-ts/job-queue";
import type { Json } from "@ganeti-ts/protocol";

/** `[parameter, new value]`, as the result lists them. */
export type Changed = readonly [string, Json];

export type Kind = "disk" | "NIC";

interface Device {
  readonly uuid: string;
  readonly name?: string | undefined;
}

/** Where a new device goes; -1 is the end. */
export function newIndex(kind: Kind, reference: number | string, count: number): number {
  if (typeof reference !== "number") {
    throw new PrereqError("wrong_input", "Only positive integer or -1 is accepted");
  }
  if (reference === -1) return count;
  mustExist(kind, reference, count);
  return reference;
}

/** Index of the device that is meant, by its own, its name or its UUID; -1 is the last. */
export function indexOf(
  kind: Kind,
  reference: number | string,
  devices: readonly Device[],
): number {
  if (typeof reference === "number") {
    if (reference === -1 && devices.length > 0) return devices.length - 1;
    if (reference !== -1) mustExist(kind, reference, devices.length);
    // What Ganeti says of the place behind the last one, and of the last of none.
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

/** No parameters go with a device that goes. */
export function checkNothingGiven(kind: Kind, action: string, given: object): void {
  const isGone = action === "remove" || action === "detach";
  if (!isGone || Object.keys(given).length === 0) return;
  throw new PrereqError(
    "wrong_input",
    `No settings should be passed when removing or detaching a ${kind}`,
  );
}

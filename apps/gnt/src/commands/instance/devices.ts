/** Disks and NICs in the form of opcodes, from options. */
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import { pythonText } from "@ganeti-ts/protocol";
import { prereqError } from "../../errors.js";
import type { IdParameters } from "../../invocation.js";
import { nicTypes } from "../../parameters/known.js";
import { typed } from "../../parameters/typed.js";
import { mebibytes } from "../../parsing/size.js";

/**
 * Disks of a new instance by index; missing indices are empty disks.
 *
 * `adopts`: whether existing volumes may become disks. @throws GanetiError
 */
export function newDisks(given: readonly IdParameters[], adopts: boolean): JsonObject[] {
  return byIndex(given, "disk", (at, parameters) => {
    const { size, spindles, adopt } = parameters;
    if (size === undefined && adopt === undefined) {
      throw prereqError(`Missing size or adoption source for disk ${at}`);
    }
    if (size !== undefined && adopt !== undefined) {
      throw prereqError(`Only one of 'size' and 'adopt' allowed (disk ${at})`);
    }
    if (adopt !== undefined && spindles !== undefined) {
      throw prereqError("spindles is not a valid option when adopting a disk");
    }
    if (adopt !== undefined && !adopts) {
      throw prereqError("Disk adoption not allowed for instance import");
    }
    return {
      ...parameters,
      size: size === undefined ? 0 : diskSize(size, at),
      ...(spindles === undefined ? {} : { spindles: spindleCount(spindles, at) }),
    };
  });
}

/** The NICs of a new instance, by their index. @throws GanetiError */
export const newNics = (given: readonly IdParameters[]): JsonObject[] =>
  byIndex(given, "nic", (_, parameters) => typed(parameters, nicTypes));

function byIndex(
  given: readonly IdParameters[],
  what: "disk" | "nic",
  made: (at: number, parameters: JsonObject) => JsonObject,
): JsonObject[] {
  const called = what === "nic" ? "NIC" : what;
  const indexes = given.map(([id]) => deviceIndex(id, called));
  const all = Array.from({ length: Math.max(-1, ...indexes) + 1 }, (): JsonObject => ({}));
  given.forEach(([, parameters], nth) => {
    const at = indexes[nth] as number;
    if (parameters === false || parameters === null) {
      const shown = parameters === null ? "None" : "False";
      throw prereqError(`Invalid ${what}/${at} value: expected dict, got ${shown}`);
    }
    all[at] = made(at, parameters);
  });
  return all;
}

/** @throws GanetiError */
export function deviceIndex(id: string, called: string): number {
  if (/^\s*\d+\s*$/.test(id) && Number(id) < devicesMax) return Number(id);
  throw prereqError(`Invalid ${called} index passed: ${indexFault(id)}`);
}

/** Far more than an instance can have; larger indices would only fill memory. */
const devicesMax = 1000;

const indexFault = (id: string): string =>
  /^\s*[+-]?\d+\s*$/.test(id)
    ? `${id.trim()} is not from 0 to ${devicesMax - 1}`
    : `invalid literal for int() with base 10: '${id}'`;

/** @throws GanetiError */
export function diskSize(given: Json, at: number): number {
  try {
    return mebibytes(pythonText(given));
  } catch (error) {
    throw prereqError(`Invalid disk size for disk ${at}: ${(error as Error).message}`);
  }
}

/** @throws GanetiError */
export function spindleCount(given: Json, at: number): number {
  if (typeof given === "string" && /^\s*\d+\s*$/.test(given)) return Number(given);
  throw prereqError(`Invalid spindles for disk ${at}: '${String(given)}' is no number`);
}

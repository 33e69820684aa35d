/** Changes of an instance's disks and NICs, from options of `gnt-instance modify`. */
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import { pythonText } from "@ganeti-ts/protocol";
import { prereqError } from "../../errors.js";
import type { IdParameters } from "../../invocation.js";
import { nicTypes } from "../../parameters/known.js";
import { typed } from "../../parameters/typed.js";
import { mebibytes } from "../../parsing/size.js";

const actions = ["add", "attach", "remove", "detach", "modify"] as const;
type Action = (typeof actions)[number];

/** Action on the device with an index (-1: the end), name or UUID. */
type Change = [action: Action, device: number | string, parameters: JsonObject];

/**
 * | given | meaning |
 * |---|---|
 * | `add:size=4g` | add one at the end |
 * | `remove` | remove the last one |
 * | `2:add,size=4g` | add one before index 2 |
 * | `2:remove` | remove index 2 |
 * | `2:mode=ro`, `root:modify,mode=ro` | change index 2, or the one of that name |
 *
 * @throws GanetiError
 */
function deviceChanges(given: readonly IdParameters[]): Change[] {
  return given.map(([id, parameters]) => {
    if (parameters === null || parameters === false) return changeOf("remove", id, {});
    if (isAction(id) && id !== "modify") return changeOf(id, -1, parameters);
    const asked = actions.filter((action) => action in parameters);
    if (asked.length > 1) {
      throw prereqError(
        `Cannot do more than one of the following operations at the same time: ${actions.join(", ")}`,
      );
    }
    const rest = Object.entries(parameters).filter(([name]) => !isAction(name));
    return changeOf(asked[0] ?? "modify", deviceOf(id), Object.fromEntries(rest));
  });
}

const isAction = (word: string): word is Action => (actions as readonly string[]).includes(word);

const deviceOf = (id: string): number | string => (/^-?\d+$/.test(id) ? Number(id) : id);

function changeOf(action: Action, device: number | string, parameters: JsonObject): Change {
  const removes = action === "remove" || action === "detach";
  if (removes && Object.keys(parameters).length > 0) {
    throw prereqError("Not accepting parameters on removal/detach");
  }
  return [action, device, parameters];
}

/** @throws GanetiError */
export const nicChanges = (given: readonly IdParameters[]): Change[] =>
  deviceChanges(given).map(([action, device, parameters]) => [
    ...[action, device],
    typed(parameters, nicTypes, ["default"]),
  ]) as Change[];

/** Sizes in MiB; a new disk needs one. @throws GanetiError */
export const diskChanges = (given: readonly IdParameters[]): Change[] =>
  deviceChanges(given).map(([action, device, parameters]) => {
    if (action === "add" && parameters.size === undefined) {
      throw prereqError("Missing required parameter 'size'");
    }
    return [action, device, withNumbers(parameters)];
  });

function withNumbers({ size, spindles, ...others }: JsonObject): JsonObject {
  return {
    ...others,
    ...(size === undefined ? {} : { size: sizeOf(size) }),
    ...(spindles === undefined ? {} : { spindles: countOf(spindles) }),
  };
}

function sizeOf(given: Json): number {
  try {
    return mebibytes(pythonText(given));
  } catch (error) {
    throw prereqError(`Invalid disk size: ${(error as Error).message}`);
  }
}

function countOf(given: Json): number {
  if (typeof given === "string" && /^\s*\d+\s*$/.test(given)) return Number(given);
  throw prereqError(`Invalid spindles: '${pythonText(given)}' is no number`);
}

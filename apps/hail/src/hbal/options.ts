/** Options that only hbal has. */
import { DataError } from "@ganeti-ts/htools";
import type { SubmitPriority } from "@ganeti-ts/protocol";
import { type Option, sets } from "../option.js";
import type { HbalSettings } from "./settings.js";

export const restrictedMigration: Option<HbalSettings> = {
  long: "restricted-migration",
  description:
    "disallow replace-primary moves (aka frf-moves); in evacuation mode, this will ensure that " +
    "the only migrations are off the drained nodes",
  apply: sets("restrictedMigration", true),
};

export const firstJobGroup: Option<HbalSettings> = {
  long: "first-job-group",
  description: "only execute the first group of jobs",
  apply: sets("firstJobSetOnly", true),
};

const priorities: Readonly<Record<string, SubmitPriority>> = { low: 10, normal: 0, high: -10 };

export const priority: Option<HbalSettings> = {
  long: "priority",
  argument: { name: "PRIO" },
  completes: `choices=${Object.keys(priorities).join(",")}`,
  description: "set the priority of submitted jobs",
  apply: (settings, text = "") => {
    if (!Object.hasOwn(priorities, text)) throw new DataError(`Unknown priority '${text}'`);
    settings.priority = priorities[text];
  },
};

/** Not in Ganeti. */
export const preferForthcoming: Option<HbalSettings> = {
  long: "prefer-forthcoming",
  description:
    "move forthcoming instances first (no data to copy), also to two other nodes in one step",
  apply: sets("preferForthcoming", true),
};

/** Not in Ganeti. */
export const explain: Option<HbalSettings> = {
  long: "explain",
  description: "show the terms of the score that each step changes",
  apply: sets("explain", true),
};

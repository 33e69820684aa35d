/** Options that limit the moves a program may make, and their number. */
import { readFloat, readInteger } from "@ganeti-ts/htools";
import { type Option, reads, sets } from "../option.js";
import type { Settings } from "../settings.js";

export const group: Option<Settings> = {
  short: "G",
  long: "group",
  argument: { name: "ID" },
  completes: "onegroup",
  description: "the target node group (name or UUID)",
  apply: reads("group", String),
};

export const maxLength: Option<Settings> = {
  short: "l",
  long: "max-length",
  argument: { name: "N" },
  completes: "integer",
  description:
    "cap the solution at this many balancing or allocation rounds (useful for very unbalanced " +
    "clusters or empty clusters)",
  apply: reads("lengthMax", (text) => readInteger(text, "max solution length")),
};

export const minScore: Option<Settings> = {
  short: "e",
  long: "min-score",
  argument: { name: "EPSILON" },
  completes: "float",
  description: "mininum excess to the N+1 limit to aim for",
  apply: reads("minScore", (text) => readFloat(text, "min score")),
};

export const minGain: Option<Settings> = {
  short: "g",
  long: "min-gain",
  argument: { name: "DELTA" },
  completes: "float",
  description: "minimum gain to aim for in a balancing step before giving up",
  apply: reads("minGain", (text) => readFloat(text, "min gain")),
};

export const minGainLimit: Option<Settings> = {
  long: "min-gain-limit",
  argument: { name: "SCORE" },
  completes: "float",
  description: "minimum cluster score for which we start checking the min-gain",
  apply: reads("minGainLimit", (text) => readFloat(text, "min gain limit")),
};

export const evacMode: Option<Settings> = {
  short: "E",
  long: "evac-mode",
  description:
    "enable evacuation mode, where the algorithm only moves instances away from offline and " +
    "drained nodes",
  apply: sets("evacuationMode", true),
};

export const noDiskMoves: Option<Settings> = {
  long: "no-disk-moves",
  description:
    "disallow disk moves from the list of allowed instance changes, thus allowing only the " +
    "'cheap' failover/migrate operations",
  apply: sets("diskMoves", false),
};

export const noInstanceMoves: Option<Settings> = {
  long: "no-instance-moves",
  description:
    "disallow instance (primary node) moves from the list of allowed, instance changes, thus " +
    "allowing only slower, but sometimes safer, drbd secondary changes",
  apply: sets("instanceMoves", false),
};

export const ignoreSoftErrors: Option<Settings> = {
  long: "ignore-soft-errors",
  description: "Ignore any soft restrictions in balancing",
  apply: sets("ignoreSoftErrors", true),
};

export const noCapacityChecks: Option<Settings> = {
  long: "no-capacity-checks",
  description: "disable capacity checks (like global N+1 redundancy)",
  apply: sets("capacityChecks", false),
};

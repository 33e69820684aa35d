/** Options that only hroller has. */
import { type Option, reads, sets } from "../option.js";
import { commaList } from "../option-values.js";
import type { HrollerSettings } from "./settings.js";

export const offlineMaintenance: Option<HrollerSettings> = {
  long: "offline-maintenance",
  description: "Schedule offline maintenance, i.e., pretend that all instance are offline.",
  apply: sets("offlineMaintenance", true),
};

export const nodeTags: Option<HrollerSettings> = {
  long: "node-tags",
  argument: { name: "TAG,..." },
  completes: "string",
  description: "Restrict to nodes with the given tags",
  apply: reads("nodeTags", commaList),
};

export const printMoves: Option<HrollerSettings> = {
  long: "print-moves",
  description: "print the moves of the instances",
  apply: sets("printMoves", true),
};

export const fullEvacuation: Option<HrollerSettings> = {
  long: "full-evacuation",
  description: "fully evacuate the nodes to be rebooted",
  apply: sets("fullEvacuation", true),
};

export const skipNonRedundant: Option<HrollerSettings> = {
  long: "skip-non-redundant",
  description: "Skip nodes that host a non-redundant instance",
  apply: sets("skipNonRedundant", true),
};

export const ignoreNonRedundant: Option<HrollerSettings> = {
  long: "ignore-non-redundant",
  description: "Pretend that there are no non-redundant instances in the cluster",
  apply: sets("ignoreNonRedundant", true),
};

export const force: Option<HrollerSettings> = {
  short: "f",
  long: "force",
  description: "force the execution of this program, even if warnings would otherwise prevent it",
  apply: sets("force", true),
};

export const oneStepOnly: Option<HrollerSettings> = {
  long: "one-step-only",
  description: "Only do the first step",
  apply: sets("oneStepOnly", true),
};

/** Changes of instances that the page offers, one job for each instance. */
import { ask } from "../../api/server.js";
import type { ObjectAction } from "../../parts/submitted.js";
import { addTag } from "../../parts/tags.js";

const at = (name: string, rest = ""): string => `/2/instances/${encodeURIComponent(name)}${rest}`;

export const instanceActions: readonly ObjectAction[] = [
  { title: "Start", submit: (name) => ask("PUT", at(name, "/startup")) },
  {
    title: "Stop",
    question: (what) => `Stop ${what}? Programs inside are shut down.`,
    submit: (name) => ask("PUT", at(name, "/shutdown")),
  },
  {
    title: "Reboot",
    question: (what) => `Reboot ${what}? Programs inside are shut down and started again.`,
    submit: (name) => ask("POST", at(name, "/reboot")),
  },
  {
    title: "Migrate",
    question: (what) => `Migrate ${what} to the secondary node? Programs inside go on.`,
    submit: (name) => ask("PUT", at(name, "/migrate"), {}),
  },
  {
    title: "Fail over",
    question: (what) =>
      `Fail ${what} over to the secondary node? Programs inside are shut down and started there.`,
    submit: (name) => ask("PUT", at(name, "/failover"), {}),
  },
  {
    title: "Add tag",
    wants: "Tag",
    submit: (name, tag) => addTag(["instances", name], tag),
  },
  {
    title: "Remove",
    isDangerous: true,
    isFinal: true,
    question: (what) => `Remove ${what}? The disks and all data on them are deleted.`,
    submit: (name) => ask("DELETE", at(name)),
  },
];

/** Creates the instance of a reservation. */
export const makeReal = (name: string): Promise<unknown> => ask("POST", at(name, "/create"), {});

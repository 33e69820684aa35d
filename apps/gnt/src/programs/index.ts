/** All programs by name, each loaded when it is used. */
import type { Program } from "../command.js";

export const programs: Readonly<Record<string, () => Promise<{ readonly program: Program }>>> = {
  "gnt-debug": () => import("./gnt-debug.js"),
  "gnt-job": () => import("./gnt-job.js"),
};

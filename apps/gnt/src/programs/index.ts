/** All programs by name, each loaded when it is used. */
import type { Program } from "../command.js";

export const programs: Readonly<Record<string, () => Promise<{ readonly program: Program }>>> = {
  "gnt-backup": () => import("./gnt-backup.js"),
  "gnt-debug": () => import("./gnt-debug.js"),
  "gnt-instance": () => import("./gnt-instance.js"),
  "gnt-job": () => import("./gnt-job.js"),
  "gnt-os": () => import("./gnt-os.js"),
  "gnt-storage": () => import("./gnt-storage.js"),
};

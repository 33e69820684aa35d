/** All programs by name, each loaded when it is used. */
import type { Program } from "../command.js";

export const programs: Readonly<Record<string, () => Promise<{ readonly program: Program }>>> = {
  "gnt-backup": () => import("./gnt-backup.js"),
  "gnt-cluster": () => import("./gnt-cluster.js"),
  "gnt-debug": () => import("./gnt-debug.js"),
  "gnt-filter": () => import("./gnt-filter.js"),
  "gnt-group": () => import("./gnt-group.js"),
  "gnt-instance": () => import("./gnt-instance.js"),
  "gnt-job": () => import("./gnt-job.js"),
  "gnt-network": () => import("./gnt-network.js"),
  "gnt-node": () => import("./gnt-node.js"),
  "gnt-os": () => import("./gnt-os.js"),
  "gnt-storage": () => import("./gnt-storage.js"),
};

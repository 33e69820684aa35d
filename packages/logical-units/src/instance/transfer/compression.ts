/** Compression programs of disk transfers. */

import type { Snapshot } from "@ganeti-ts/config";
import { wrongInput } from "../../unit/refusals.js";

/** @throws PrereqError `wrong_input` for a program that the cluster does not allow */
export function checkCompressionTool({ cluster }: Snapshot, tool: string): void {
  const allowed = cluster.compression_tools;
  if (tool === "none" || allowed.includes(tool)) return;
  wrongInput(`Compression tool not allowed, tools allowed are [${allowed.join(", ")}]`);
}

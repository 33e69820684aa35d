/** Option `--html`, which writes a page about the result. Not in Ganeti. */
import { type Option, reads } from "../option.js";
import type { Settings } from "../settings.js";

export const html: Option<Settings> = {
  long: "html",
  argument: { name: "FILE" },
  completes: "file",
  description: "write an HTML page to FILE that shows the cluster before and after",
  apply: reads("html", String),
};

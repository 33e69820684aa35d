/** The page that some programs write about what they did. Not in Ganeti. */
import type { Option } from "../option.js";
import type { Settings } from "../settings.js";

export const html: Option<Settings> = {
  long: "html",
  argument: { name: "FILE" },
  completes: "file",
  description: "write a page to FILE that shows the cluster before and after",
  apply: (settings, text) => {
    settings.html = text;
  },
};

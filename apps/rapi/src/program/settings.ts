/** Settings of the API, from the options of the server. */
import { usualBodyLimits } from "../http/body.js";
import type { Settings } from "../world.js";
import type { Options } from "./options.js";

/**
 * Clusters of Ganeti answer anonymous clients, which may read what Ganeti's own API shows them. Those made here want
 * a user for each request, unless the options say otherwise.
 */
export const settingsOf = (
  options: Pick<Options, "requireAuthentication" | "anonymousReads" | "publicMetrics" | "proxies">,
  origin: "made here" | "Ganeti",
): Settings => ({
  requireAuthentication:
    options.requireAuthentication || (origin === "made here" && !options.anonymousReads),
  publicMetrics: options.publicMetrics,
  proxies: options.proxies,
  bodies: usualBodyLimits,
});

/** Settings of the API, from the options of the server. */
import { usualBodyLimits } from "../http/body.js";
import type { Settings } from "../world.js";
import type { Options } from "./options.js";

/**
 * Adopted clusters allow anonymous clients to read, like Ganeti's own API. Clusters made here require a user for each
 * request, unless the options say otherwise.
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

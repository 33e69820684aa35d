/** Settings of the API, from the options of the server. */
import { usualBodyLimits } from "../http/body.js";
import type { Settings } from "../world.js";
import type { Options } from "./options.js";

export const settingsOf = (
  options: Pick<Options, "requireAuthentication" | "publicMetrics" | "proxies">,
): Settings => ({
  requireAuthentication: options.requireAuthentication,
  publicMetrics: options.publicMetrics,
  proxies: options.proxies,
  bodies: usualBodyLimits,
});

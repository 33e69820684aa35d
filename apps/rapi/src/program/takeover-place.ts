import { ganetiSite } from "@ganeti-ts/machines";
import type { TakeoverPlace } from "@ganeti-ts/takeover";
import type { Log } from "../log.js";
import { setAside } from "./backup.js";
import type { DataDirectory } from "./data-directory.js";
import type { Options } from "./options.js";
import { withStores } from "./stores.js";

/** Ports of a takeover: the data directory and the machine of this server. */
export const takeoverPlace = (
  options: Options,
  directory: DataDirectory,
  log: Log,
): TakeoverPlace => ({
  ...{ directory, log, site: ganetiSite(options, process.env) },
  isShared: options.store !== undefined,
  withStores: (use) => withStores(options, directory, use),
  setAside: () => void setAside(directory.database),
});

/** servingPlace: the steps of a mode before its cluster is served, and the place of that cluster. */
import { existsSync } from "node:fs";
import { ganetiSite } from "@ganeti-ts/machines";
import { adopt, firstConfiguration, takeOver } from "@ganeti-ts/takeover";
import type { Log } from "../log.js";
import { type DataDirectory, dataPath, openDataDirectory } from "./data-directory.js";
import { type Place, placeOf } from "./ganeti/adopted-options.js";
import type { Options } from "./options.js";
import { bringCopies } from "./real/older-cluster.js";
import { withStores } from "./stores.js";
import { takeoverPlace } from "./takeover-place.js";

interface ServingPlace extends Place {
  /** Whether the candidates have no files in Ganeti's formats yet. */
  readonly hasFirstCopies: boolean;
}

/** @param wanted aborts work when the start is aborted. @throws StartError, TakeoverError */
export async function servingPlace(
  given: Options,
  log: Log,
  wanted: <Value>(work: Promise<Value>) => Promise<Value>,
): Promise<ServingPlace> {
  const own = openDataDirectory(dataPath(given.dataPath, process.env));
  const { mode } = given;
  const place = takeoverPlace(given, own, log);
  if (mode.kind === "adopt") await adopt(place, mode);
  if (mode.kind === "take-over") await takeOver(place, given);
  const hasFirstCopies = await bringCopies(given, own, log);
  const { options: placed, directory, adopted } = placeOf(given, own);
  const options = withKnownNodes(placed, directory);
  if (options.nodes === "ganeti" && adopted === undefined) {
    await wanted(copyConfiguration(options, directory, log));
  }
  return { options, directory, adopted, hasFirstCopies };
}

/** A cluster of real machines is never served with simulated ones. */
const withKnownNodes = (options: Options, { realNodes }: DataDirectory): Options =>
  existsSync(realNodes) ? { ...options, nodes: "ganeti" } : options;

/** Imports the configuration of Ganeti's master at the first start. @throws StartError, TakeoverError */
const copyConfiguration = (options: Options, directory: DataDirectory, log: Log): Promise<void> =>
  withStores(options, directory, async (stores) => {
    const site = ganetiSite(options, process.env);
    if (await firstConfiguration(stores, site)) {
      log.info({ from: site.data }, "configuration copied");
    }
  });

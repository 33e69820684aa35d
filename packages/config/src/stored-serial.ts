/** Serial number of a stored configuration. */
import type { ConfigStore } from "./store.js";

/** The serial number of the last commit, without reading any object; 0: nothing has been stored. */
export async function storedSerial(store: ConfigStore): Promise<number> {
  const news = await store.changesSince(Number.MAX_SAFE_INTEGER);
  // A store that does not look ahead keeps to the letter of the port.
  return news === "too old" ? (await store.load()).serial : news.serial;
}

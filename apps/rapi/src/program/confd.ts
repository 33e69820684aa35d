/** Service for configuration queries: its key, and its listener while there is one. */
import { createConfdKey, ensureConfdKey, readConfdKey } from "@ganeti-ts/confd";
import {
  type ConfdAddress,
  type ConfdListener,
  type ConfdParts,
  listenForConfd,
} from "../confd/confd-listener.js";
import type { Confd } from "../world.js";
import { StartError } from "./start-error.js";

export interface ConfdService extends Confd {
  /** @throws the system's error if the address cannot be bound */
  listen(address: ConfdAddress, parts: ConfdParts): Promise<void>;
  /** Reads the key file again, e.g. after another server of the cluster has renewed the key. */
  reloadKey(): Promise<void>;
  /** Ends the listener, if there is one. */
  close(): Promise<void>;
}

/** Creates the key file if it does not exist. @throws the system's error, StartError for a file that is not a key */
export async function openConfd(keyFile: string): Promise<ConfdService> {
  let key = await ensureConfdKey(keyFile).catch((error: Error) => {
    throw error instanceof RangeError ? new StartError(error.message, { cause: error }) : error;
  });
  let listener: ConfdListener | undefined;
  return {
    bound: () => listener?.bound ?? null,
    async listen(address, parts) {
      listener = await listenForConfd(address, () => key, parts);
    },
    async renewKey() {
      key = await createConfdKey(keyFile);
    },
    async reloadKey() {
      key = await readConfdKey(keyFile);
    },
    close: async () => listener?.close(),
  };
}

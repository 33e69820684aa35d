/** The thread of the daemon that answers configuration queries. */

import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import {
  type ConfdSource,
  type ConfdUnavailable,
  checkedConfdKey,
  createConfdServer,
} from "@ganeti-ts/confd";
import { readConfigFile, Snapshot } from "@ganeti-ts/config";
import { type Clock, type FilterRule, secureRandom, systemClock } from "@ganeti-ts/protocol";
import type { ConfdThreadData } from "./confd/confd-thread.js";
import { configFile, keyFile, servesQueries } from "./confd/role.js";
import { lastRead } from "./host/last-read.js";

/** Minimum time (ms) between two reads of a copy that changes constantly; until then answers come from the previous one. */
const readAgainMs = 1_000;

interface Copy {
  readonly snapshot: Snapshot | ConfdUnavailable;
  readonly filters: readonly FilterRule[];
}

/**
 * Files are read when a query arrives and they have changed since the last one. An unreadable copy is reported as the answer's error.
 * @throws Error for a missing or invalid key
 */
function ownCopy(data: string, nodeName: string, clock: Clock): ConfdSource {
  const isServed = servesQueries(data, nodeName);
  const keyPath = join(data, keyFile);
  const read = lastRead(keyPath, (content) => checkedConfdKey(keyPath, content));
  let key = read();
  if (key === undefined) throw new Error(`there is no ${keyPath}`);
  let readAt = Number.NEGATIVE_INFINITY;
  const copy = lastRead(
    join(data, configFile),
    (content): Copy => {
      readAt = clock.now();
      return copyIn(content.toString(), clock);
    },
    () => clock.now() - readAt >= readAgainMs,
  );
  return {
    clock,
    key() {
      key = read() ?? key;
      return key as Uint8Array;
    },
    snapshot: () => (isServed() ? copy()?.snapshot : undefined),
    filters: () => copy()?.filters ?? [],
  };
}

function copyIn(text: string, clock: Clock): Copy {
  try {
    const now = clock.wallMicros() / 1e6;
    const { content, filters } = readConfigFile(text, { random: secureRandom, now });
    return { snapshot: Snapshot.of(content), filters };
  } catch (error) {
    return { snapshot: { unavailable: (error as Error).message }, filters: [] };
  }
}

/** Maximum number of datagrams examined per second: a third of what one processor can answer. */
const perSecondMax = 10_000;

const { data, nodeName, address, port } = workerData as ConfdThreadData;
const source = ownCopy(data, nodeName, systemClock);
await createConfdServer({ ...source, address, port, perSecondMax });
parentPort?.postMessage("listening");

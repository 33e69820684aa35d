/** New UUIDs. */

import { type Random, randomHex } from "@ganeti-ts/protocol";
import { objectTypes } from "./objects.js";
import type { Snapshot } from "./snapshot.js";

/** Random (version 4), lower case. */
export function randomUuid(random: Random): string {
  const hex = randomHex(random, 16);
  const variant = "89ab"[Math.floor(random.fraction() * 4)];
  const [timeLow, timeMid, rest] = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(20)];
  return `${timeLow}-${timeMid}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${rest}`;
}

/** A UUID not used by any object; the type parameter names the kind of object. */
export function newUuid<Uuid extends string = string>(now: Snapshot, random: Random): Uuid {
  for (;;) {
    const uuid = randomUuid(random);
    const isTaken =
      uuid === now.cluster.uuid ||
      objectTypes.some((type) => now.get(type, uuid) !== undefined) ||
      now.keysOf("nic", uuid).length > 0;
    if (!isTaken) return uuid as Uuid;
  }
}

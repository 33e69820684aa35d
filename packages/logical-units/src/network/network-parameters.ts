/** Parameters of networks: prefixes, addresses, names. */

import type { Snapshot } from "@ganeti-ts/config";
import type { NetworkObject } from "@ganeti-ts/protocol";
import { wrongInput } from "../unit/refusals.js";

/** Three octets, in lower case. @throws PrereqError */
export function readMacPrefix(text: string): string {
  const prefix = text.toLowerCase();
  if (/^[0-9a-f]{2}(:[0-9a-f]{2}){2}$/.test(prefix)) return prefix;
  wrongInput(`Invalid MAC address prefix '${text}'`);
}

/** `none` removes a value. @throws the errors of `read` */
export const orNone = <T>(given: string, read: (text: string) => T): T | undefined =>
  given === "none" ? undefined : read(given);

/** Groups to which the network is connected, by name. */
export const connectedGroups = (now: Snapshot, { uuid }: NetworkObject): readonly string[] =>
  Array.from(now.groups())
    .filter(({ networks }) => networks[uuid] !== undefined)
    .map(({ name }) => name);

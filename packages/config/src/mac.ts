/** MAC addresses: notation and generation. */
import { type NetworkObject, type Random, randomHex } from "@ganeti-ts/protocol";
import { ConfigError } from "./config-error.js";
import type { Snapshot } from "./snapshot.js";

const triesMax = 64;

/** In lower case. @throws ConfigError `wrong_input` if it is invalid, or a multicast address */
export function readMac(text: string): string {
  const mac = text.toLowerCase();
  const isMulticast = (Number.parseInt(mac.slice(0, 2), 16) & 1) === 1;
  if (!/^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/.test(mac) || isMulticast) {
    throw new ConfigError("wrong_input", `Invalid MAC address '${text}'`);
  }
  return mac;
}

/** @throws ConfigError `resource_not_unique` if a NIC has it, or a claim */
export function mustBeFreeMac(now: Snapshot, mac: string): void {
  if (now.keysOf("mac", mac.toLowerCase()).length === 0) return;
  throw new ConfigError("resource_not_unique", `MAC address ${mac} already in use in cluster`);
}

/**
 * A new address with the prefix of the network, otherwise of the cluster; not one of `taken`. @throws
 * ConfigError `insufficient_resources` after 64 failed tries
 */
export function generateMac(
  now: Snapshot,
  random: Random,
  network?: NetworkObject,
  taken: ReadonlySet<string> = new Set(),
): string {
  const prefix = (network?.mac_prefix ?? now.cluster.mac_prefix).toLowerCase();
  for (let tries = 0; tries < triesMax; tries++) {
    const rest = randomHex(random, 3).replace(/(..)(?=.)/g, "$1:");
    const mac = `${prefix}:${rest}`;
    if (!taken.has(mac) && now.keysOf("mac", mac).length === 0) return mac;
  }
  throw new ConfigError("insufficient_resources", "Can't generate unique MAC address");
}

/** Rules for NICs: valid combinations of mode, link, VLAN and address. */

import {
  type ForthcomingNic,
  type InstanceObject,
  type NetworkObject,
  type NicObject,
  type Nicparams,
  nicModes,
} from "@ganeti-ts/protocol";
import { isInNetwork, releaseAddress, reserveAddress } from "./address-pool.js";
import { ConfigError, wrongInput } from "./config-error.js";
import { type ConfigChange, put } from "./objects.js";
import type { Snapshot } from "./snapshot.js";

/** The fault of filled parameters, in Ganeti's words; undefined if there is none. */
export function nicparamsFault({ mode, link, vlan }: Nicparams): string | undefined {
  if (!nicModes.includes(mode)) return `Invalid NIC mode '${mode}'`;
  if (mode === "bridged" && link === "") return "Missing bridged NIC link";
  return vlan === "" || isVlan(vlan) ? undefined : "Invalid NIC VLAN parameter";
}

/** The fault of a whole NIC: a routed one needs an address, unless its network assigns it one. */
export function nicFault(
  nic: Pick<NicObject | ForthcomingNic, "ip" | "network">,
  filled: Nicparams,
): string | undefined {
  if (filled.mode === "routed" && nic.ip === undefined && nic.network === undefined) {
    return "Routed nic mode requires an ip address if not attached to a network";
  }
  return nicparamsFault(filled);
}

/** `.5`: access, `:5:6`: trunk, `.5:6:7`: trunk with a native one. */
const isVlan = (vlan: string): boolean => /^(\.\d+)?(:\d+)*$/.test(vlan);

/** A VLAN in its stored form; a plain number is an access VLAN. @throws ConfigError `wrong_input` */
export function readVlan(text: string): string {
  if (text === "" || isVlan(text)) return text;
  if (/^\d+$/.test(text)) return `.${text}`;
  wrongInput(`Specified VLAN parameter is invalid : ${text}`);
}

/** Alternative names of modes. */
const modeAliases: Readonly<Record<string, string>> = { bridge: "bridged", route: "routed" };

/** The canonical name of a mode; unknown names are returned unchanged. */
export const nicModeName = (text: string): string => modeAliases[text] ?? text;

/** @throws ConfigError `wrong_input` */
export function readNicMode(text: string): Nicparams["mode"] {
  const mode = nicModeName(text);
  const found = nicModes.find((one) => one === mode);
  if (found === undefined) wrongInput(`Invalid NIC mode '${text}'`);
  return found;
}

/** The network that contains an address, if there is one. O(networks). */
export function networkOfAddress(now: Snapshot, address: string): NetworkObject | undefined {
  for (const network of now.networks()) if (isInNetwork(network, address)) return network;
  return undefined;
}

/**
 * Changes of the address pools when an instance's NICs change from `before` to `after`. @throws ConfigError
 * `resource_not_unique` if an address is reserved, `unknown_entity` for a network
 */
export function poolChanges(
  now: Snapshot,
  before: InstanceObject["nics"],
  after: InstanceObject["nics"],
): readonly ConfigChange[] {
  const networks = new Map<string, NetworkObject>();
  const edit = (uuid: string, change: (network: NetworkObject) => NetworkObject) => {
    networks.set(uuid, change(networks.get(uuid) ?? now.expectNetwork(uuid)));
  };
  const [old, wanted] = [addressesOf(before), addressesOf(after)];
  for (const [key, { network, ip }] of old) {
    if (!wanted.has(key)) edit(network, (one) => releaseAddress(one, ip));
  }
  for (const [key, { network, ip }] of wanted) {
    if (!old.has(key)) edit(network, (one) => reserveAddress(one, ip));
  }
  return [...networks.values()].map((object) => put("network", object));
}

/** Addresses in networks. @throws ConfigError `resource_not_unique` if two NICs have the same one */
function addressesOf(nics: InstanceObject["nics"]) {
  const found = new Map<string, { readonly network: string; readonly ip: string }>();
  for (const { network, ip } of nics) {
    if (network === undefined || ip === undefined) continue;
    const key = `${network} ${ip}`;
    if (found.has(key)) {
      throw new ConfigError("resource_not_unique", `IP ${ip} is already used by an instance`);
    }
    found.set(key, { network, ip });
  }
  return found;
}

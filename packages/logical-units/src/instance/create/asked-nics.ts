/**
 * NICs of a wanted instance in allocator requests, with symbolic values resolved to the cluster's
 * defaults.
 */
import type { WantedInstance } from "@ganeti-ts/allocators";
import type { Snapshot } from "@ganeti-ts/config";
import type { OpcodeNic } from "@ganeti-ts/protocol";
import { isNone } from "./names.js";
import type { PlannedNic } from "./nics.js";

type AskedNic = WantedInstance["nics"][number];

/** Words for an address that is chosen later. */
const laterAddresses: ReadonlySet<string> = new Set(["auto", "pool"]);

/**
 * A NIC of an opcode. `ip` is an address or null; mode and link are the effective ones, and null in
 * a network, where the groups decide. `bridge` is the link of a bridged NIC.
 */
export function askedNic(
  { cluster }: Snapshot,
  { mac, ip, mode, link, bridge, network }: OpcodeNic,
): AskedNic {
  const defaults = isNone(network) ? cluster.nicparams.default : undefined;
  const given = mode === "auto" ? undefined : mode;
  const filled = {
    mode: given ?? defaults?.mode ?? null,
    link: link || bridge || defaults?.link || null,
  };
  return {
    mac: mac ?? "auto",
    ip: isNone(ip) || laterAddresses.has(ip.toLowerCase()) ? null : ip,
    network: isNone(network) ? null : network,
    ...filled,
    bridge: filled.mode === "bridged" ? filled.link : null,
  };
}

/** A planned NIC: its address may be known by now, its network is a UUID. */
export const askedPlannedNic = (
  now: Snapshot,
  { mac, ip, network, nicparams: { mode, link } }: PlannedNic,
): AskedNic => askedNic(now, { mac, ip, network, mode, link });

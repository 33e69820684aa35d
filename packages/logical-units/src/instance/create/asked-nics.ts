/** NICs of a wanted instance as allocators are asked about them: values instead of words, with the cluster's defaults. */
import type { WantedInstance } from "@ganeti-ts/allocators";
import type { Snapshot } from "@ganeti-ts/config";
import type { OpcodeNic } from "@ganeti-ts/protocol";
import { isNone } from "./names.js";
import type { PlannedNic } from "./nics.js";

type AskedNic = WantedInstance["nics"][number];

/** Words that stand for an address which is chosen later. */
const laterAddresses: ReadonlySet<string> = new Set(["auto", "pool"]);

/**
 * A NIC of an opcode. `ip` is an address or null; mode and link are those that it gets, and null in a network, whose
 * groups decide. `bridge` is the link of a bridged one.
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

/** A NIC that has been planned: its address may be known by now, its network is a UUID. */
export const askedPlannedNic = (
  now: Snapshot,
  { mac, ip, network, nicparams: { mode, link } }: PlannedNic,
): AskedNic => askedNic(now, { mac, ip, network, mode, link });

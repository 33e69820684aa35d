/** Consistency checks of a network. */
import { isUuid, type NetworkObject } from "@ganeti-ts/protocol";
import { ipv4Network } from "../ip-address.js";
import type { Snapshot } from "../snapshot.js";
import { nameFaults } from "./uniqueness.js";

export function networkFaults(now: Snapshot, network: NetworkObject): readonly string[] {
  const { name, uuid, reservations, ext_reservations } = network;
  const size = ipv4Network(network.network)?.size;
  const faults = [...nameFaults(now, "network", network)];
  if (isUuid(name.toLowerCase())) {
    faults.push(`network '${name}' (uuid: '${uuid}') has uuid-like name`);
  }
  if (size === undefined) faults.push(`network '${name}' has invalid address '${network.network}'`);
  else if (reservations.length !== size || ext_reservations.length !== size) {
    faults.push(`network '${name}' has reservations for another number of addresses than ${size}`);
  }
  return faults;
}

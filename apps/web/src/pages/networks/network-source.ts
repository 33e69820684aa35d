/** Queries of networks, and of the NICs in one of them. */
import type { Source } from "../../api/collection.js";
import { query, ServerError } from "../../api/server.js";
import { anyOf } from "../../api/sources.js";
import { type Network, type NicRow, networkFields } from "./addresses.js";

/** By name. @throws ServerError */
export const readNetworks = async (): Promise<readonly Network[]> => {
  const networks = await query<Network>("network", networkFields);
  return networks.toSorted((a, b) => (a.name < b.name ? -1 : 1));
};

/** Undefined if there is no such network. @throws ServerError */
export async function readNetwork(name: string): Promise<Network | undefined> {
  try {
    const [network] = await query<Network>("network", networkFields, ["==", "name", name]);
    return network;
  } catch (error) {
    if (error instanceof ServerError && error.status === 404) return undefined;
    throw error;
  }
}

const nicFields = ["uuid", "name", "nic.ips", "nic.networks"];

/** Instances with a NIC in that network. */
export function nicSource(network: string): Source<NicRow> {
  const inNetwork = ["=[]", "nic.networks", network];
  return {
    keyOf: ({ uuid }) => uuid,
    readAll: () => query("instance", nicFields, inNetwork),
    readSome: (uuids) => query("instance", nicFields, ["&", inNetwork, anyOf("uuid", uuids)]),
    effectOf: (event) =>
      event.topic === "config"
        ? {
            keys: event.changes.flatMap(({ type, uuid }) =>
              type === "instance" && uuid !== undefined ? [uuid] : [],
            ),
          }
        : {},
  };
}

/** What the pages of networks read: networks, and the NICs of instances in one of them. */
import type { Source } from "../../api/collection.js";
import { query } from "../../api/server.js";
import { anyOf } from "../../api/sources.js";
import { type Network, type NicRow, networkFields } from "./addresses.js";

/** By name. @throws ServerError */
export const readNetworks = async (): Promise<readonly Network[]> => {
  const networks = await query<Network>("network", networkFields);
  return networks.toSorted((a, b) => (a.name < b.name ? -1 : 1));
};

/** Undefined if there is no such network. @throws ServerError */
export async function readNetwork(name: string): Promise<Network | undefined> {
  const [network] = await query<Network>("network", networkFields, ["==", "name", name]);
  return network;
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

/** Queries of networks, and of the NICs in one of them. */
import type { Source } from "../../api/collection.js";
import { listsOrNull } from "../../api/fields.js";
import { query, ServerError } from "../../api/server.js";
import { anyOf, changedOf } from "../../api/sources.js";
import { type Network, type NicRow, networkFields, nicFields } from "./addresses.js";

/** All networks, sorted by name. @throws ServerError */
export const readNetworks = async (): Promise<readonly Network[]> => {
  const networks = await query("network", networkFields);
  return networks.toSorted((a, b) => (a.name < b.name ? -1 : 1));
};

/** Undefined if there is no such network. @throws ServerError */
export async function readNetwork(name: string): Promise<Network | undefined> {
  try {
    const [network] = await query("network", networkFields, ["==", "name", name]);
    return network;
  } catch (error) {
    if (error instanceof ServerError && error.status === 404) return undefined;
    throw error;
  }
}

/** Number of names above which a filter costs the server more than a list of all instances. */
const namesMax = 1000;

/**
 * Instances with a NIC in that network. They are not filtered by `nic.networks`: as in Ganeti, the server refuses to compare
 * that field of instances with a NIC outside of all networks.
 */
export function nicSource(network: string): Source<NicRow> {
  const isInNetwork = (row: NicRow) => row["nic.networks"]?.includes(network) ?? false;
  const read = async (filter: unknown) =>
    (await query("instance", nicFields, filter)).filter(isInNetwork);
  return {
    keyOf: ({ uuid }) => uuid,
    async readAll() {
      const filter = ["==", "uuid", network];
      const [found] = await query("network", listsOrNull("inst_list"), filter);
      const names = found?.inst_list ?? [];
      if (names.length === 0) return [];
      return read(names.length > namesMax ? null : anyOf("name", names));
    },
    readSome: (uuids) => read(anyOf("uuid", uuids)),
    effectOf: (event) => (event.topic === "config" ? { keys: changedOf(event, "instance") } : {}),
  };
}

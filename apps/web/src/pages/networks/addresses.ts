/** Addresses of an IPv4 network with their users. */
import { listsOrNull, numbers, ofType, texts, textsOrNull } from "../../api/fields.js";

export const networkFields = {
  // `map` has a character for each address: `X` for a taken one.
  ...texts("uuid", "name", "network", "map", "external_reservations"),
  ...textsOrNull("gateway", "network6", "gateway6", "mac_prefix"),
  ...numbers("free_count", "reserved_count", "inst_cnt"),
  ...ofType<readonly (readonly [group: string, mode: string, link: string, vlan: string])[]>()(
    "group_list",
  ),
  ...listsOrNull("tags"),
};
export type Network = Readonly<typeof networkFields>;

/** Path in the remote API. */
export const pathOf = (name: string): string => `/2/networks/${encodeURIComponent(name)}`;

/** The NICs of an instance, with one entry per NIC in each list. */
export const nicFields = {
  ...texts("uuid", "name"),
  ...ofType<readonly (string | null)[] | null>()("nic.ips", "nic.networks"),
};
export type NicRow = Readonly<typeof nicFields>;

export type Use = "free" | "instance" | "external" | "own";

/** State of one address; `who` is the name of its instance, or a description. */
export interface Address {
  readonly ip: string;
  readonly use: Use;
  readonly who: string | undefined;
}

/** All addresses of a network. */
export interface AddressMap {
  readonly size: number;
  at(index: number): Address;
  /** Undefined for a text that is not an address of this network. */
  indexOf(ip: string): number | undefined;
  readonly counts: Readonly<Record<Use, number>>;
}

/** Undefined for a text that is not an IPv4 address. */
export function numberOf(ip: string): number | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/
    .exec(ip.trim())
    ?.slice(1)
    .map(Number);
  if (parts === undefined || parts.some((part) => part > 255)) return undefined;
  return parts.reduce((number, part) => number * 256 + part, 0);
}

const ipOf = (number: number): string =>
  [24, 16, 8, 0].map((bits) => Math.floor(number / 2 ** bits) % 256).join(".");

/** Cost: O(addresses) for the counts, O(1) per address after that. `nics` are those of the network's instances. */
export function addressMap(network: Network, nics: Iterable<NicRow>): AddressMap {
  const [base = "", bits = "32"] = network.network.split("/");
  const first = numberOf(base) ?? 0;
  const size = 2 ** (32 - Number(bits));
  const indexOf = (ip: string) => {
    const number = numberOf(ip);
    return number === undefined || number < first || number >= first + size
      ? undefined
      : number - first;
  };
  const holders = new Map<number, string>();
  for (const row of nics) {
    for (const [at, ip] of (row["nic.ips"] ?? []).entries()) {
      if (ip === null || row["nic.networks"]?.[at] !== network.uuid) continue;
      const index = indexOf(ip);
      if (index !== undefined) holders.set(index, row.name);
    }
  }
  const external = new Set(network.external_reservations.split(",").map(indexOf));
  const own = new Map<number, string>([
    [0, "the network's own address"],
    [size - 1, "the broadcast address"],
  ]);
  const gateway = network.gateway === null ? undefined : indexOf(network.gateway);
  if (gateway !== undefined) own.set(gateway, "the gateway");
  const useOf = (index: number): Use => {
    if (holders.has(index)) return "instance";
    if (own.has(index)) return "own";
    if (external.has(index)) return "external";
    return network.map[index] === "X" ? "instance" : "free";
  };
  const counts = { free: 0, instance: 0, external: 0, own: 0 };
  for (let index = 0; index < size; index++) counts[useOf(index)] += 1;
  return {
    ...{ size, indexOf, counts },
    at: (index) => ({
      ip: ipOf(first + index),
      use: useOf(index),
      who: holders.get(index) ?? own.get(index),
    }),
  };
}

/** Maximum number of addresses in one request. */
const wantedMax = 1024;

/** Reads a list of addresses and ranges: `10.0.0.5, 10.0.0.7-10.0.0.9`. @throws Error that describes the mistake */
export function addressesIn(text: string, { indexOf, at }: AddressMap): readonly string[] {
  const found = new Set<string>();
  for (const one of text.split(/[,\s]+(?!-)/).filter(Boolean)) {
    const [start = "", end = start] = one.split("-");
    const from = indexOf(start);
    const to = indexOf(end);
    if (from === undefined || to === undefined) {
      throw new Error(`${from === undefined ? start : end} is not an address of this network`);
    }
    if (to < from) throw new Error(`${one} ends before it begins`);
    if (found.size + to - from >= wantedMax) throw new Error(`At most ${wantedMax} at once`);
    for (let index = from; index <= to; index++) found.add(at(index).ip);
  }
  return [...found];
}

/** The state of an address in words. */
export function textOfUse({ use, who }: Address): string {
  switch (use) {
    case "free":
      return "free";
    case "instance":
      return who === undefined ? "used by an instance that is being made" : `used by ${who}`;
    case "own":
      return who ?? "the network's own";
    case "external":
      return "reserved externally";
  }
}

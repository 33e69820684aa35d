/** Address pool of a network: addresses reserved by instances, and by the administrator. */
import type { NetworkObject } from "@ganeti-ts/protocol";
import { ConfigError, wrongInput } from "./config-error.js";
import { ipv4Network, ipv4OfNumber, numberOfIpv4 } from "./ip-address.js";

/** Owner of a reservation: instances, or (`external`) the administrator. */
type ReservationOwner = "instances" | "external";

const prefixMin = 16;
const prefixMax = 30;

/**
 * The reservations of a new network: its own address, its broadcast address and the gateway are reserved
 * externally. @throws ConfigError `wrong_input` for an invalid network, an unsupported size, or a gateway
 * outside
 */
export function newAddressPool(
  network: string,
  gateway?: string,
): Pick<NetworkObject, "reservations" | "ext_reservations"> {
  const found = ipv4Network(network);
  if (found === undefined) wrongInput(`Invalid network '${network}'`);
  const { size } = found;
  if (size > 2 ** (32 - prefixMin)) {
    wrongInput(
      `A big network with ${size} host(s) is currently not supported. please specify at most a /${prefixMin} network`,
    );
  }
  if (size < 2 ** (32 - prefixMax)) {
    wrongInput(
      `A network with only ${size} host(s) is too small, please specify at least a /${prefixMax} network`,
    );
  }
  const empty = "0".repeat(size);
  let bits = withBit(withBit(empty, 0, "1"), size - 1, "1");
  if (gateway !== undefined) bits = withBit(bits, indexIn(network, gateway), "1");
  return { reservations: empty, ext_reservations: bits };
}

/** Whether the address belongs to the network, reserved or not. */
export function isInNetwork({ network }: NetworkObject, address: string): boolean {
  const found = ipv4Network(network);
  const value = numberOfIpv4(address);
  if (found === undefined || value === undefined) return false;
  return value >= found.first && value < found.first + found.size;
}

/** @throws ConfigError `wrong_input` for an address outside; likewise the two functions below */
export function isReserved(
  network: NetworkObject,
  address: string,
  owner: ReservationOwner,
): boolean {
  return network[mapOf[owner]][indexIn(network.network, address)] === "1";
}

/** The network with the address reserved. @throws ConfigError `resource_not_unique` if it was reserved */
export function reserveAddress(
  network: NetworkObject,
  address: string,
  owner: ReservationOwner = "instances",
): NetworkObject {
  if (isReserved(network, address, owner)) {
    const how = owner === "external" ? "externally reserved" : "used by an instance";
    throw new ConfigError("resource_not_unique", `IP ${address} is already ${how}`);
  }
  return marked(network, address, owner, "1");
}

/** The network with the address released. @throws ConfigError `wrong_state` if it was free */
export function releaseAddress(
  network: NetworkObject,
  address: string,
  owner: ReservationOwner = "instances",
): NetworkObject {
  if (!isReserved(network, address, owner)) {
    const how = owner === "external" ? "externally reserved" : "used by an instance";
    throw new ConfigError("wrong_state", `IP ${address} is not ${how}`);
  }
  return marked(network, address, owner, "0");
}

/**
 * The lowest address that is free in both maps. @throws ConfigError `insufficient_resources`
 */
export function nextFreeAddress({
  network,
  reservations,
  ext_reservations,
}: NetworkObject): string {
  const { first } = mustBeNetwork(network);
  for (let at = 0; at < reservations.length; at++) {
    if (reservations[at] === "0" && ext_reservations[at] === "0") return ipv4OfNumber(first + at);
  }
  throw new ConfigError("insufficient_resources", `${network} is full`);
}

/** `X` for each address that is taken, `.` for each that is free. */
export function addressMap({ reservations, ext_reservations }: NetworkObject): string {
  let text = "";
  for (let at = 0; at < reservations.length; at++) {
    text += reservations[at] === "1" || ext_reservations[at] === "1" ? "X" : ".";
  }
  return text;
}

/** Numbers of reserved and free addresses. */
export function addressCounts(network: NetworkObject): {
  readonly reserved: number;
  readonly free: number;
} {
  const free = addressMap(network).replaceAll("X", "").length;
  return { free, reserved: network.reservations.length - free };
}

/** Addresses reserved by the administrator, ascending. */
export function externalAddresses({ network, ext_reservations }: NetworkObject): readonly string[] {
  const { first } = mustBeNetwork(network);
  return [...ext_reservations].flatMap((bit, at) => (bit === "1" ? ipv4OfNumber(first + at) : []));
}

const mapOf = { instances: "reservations", external: "ext_reservations" } as const;

function marked(network: NetworkObject, address: string, owner: ReservationOwner, bit: "0" | "1") {
  const map = mapOf[owner];
  return { ...network, [map]: withBit(network[map], indexIn(network.network, address), bit) };
}

const withBit = (bits: string, at: number, bit: "0" | "1"): string =>
  bits.slice(0, at) + bit + bits.slice(at + 1);

function indexIn(network: string, address: string): number {
  const { first, size } = mustBeNetwork(network);
  const value = numberOfIpv4(address);
  const at = value === undefined ? -1 : value - first;
  if (at < 0 || at >= size) wrongInput(`${network} does not contain ${address}`);
  return at;
}

function mustBeNetwork(network: string) {
  const found = ipv4Network(network);
  if (found === undefined) throw new Error(`'${network}' in the configuration is no network`);
  return found;
}

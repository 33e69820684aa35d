/** Client address of a request, also behind trusted proxies. */
import { BlockList, isIP, isIPv4 } from "node:net";
import { clientAddress } from "./connection.js";

export interface Remote {
  /** The whole address for log and audit, or `unknown`. */
  readonly address: string;
  /** The address for limits that clients share: see `clientAddress`. */
  readonly client: string;
}

/** Addresses of proxies whose `X-Forwarded-For` is believed. */
export interface TrustedProxies {
  has(address: string): boolean;
}

/**
 * Reads addresses and networks (`192.0.2.1`, `2001:db8::/32`), separated by commas.
 * @throws RangeError that names the first one that is neither
 */
export function trustedProxies(list: string): TrustedProxies {
  const known = new BlockList();
  for (const one of list.split(",").map((part) => part.trim())) {
    const [address = "", bits, ...rest] = one.split("/");
    const family = isIP(address);
    const most = family === 4 ? 32 : 128;
    const length = bits === undefined ? most : Number(bits);
    if (family === 0 || rest.length > 0 || !/^\d{1,3}$/.test(bits ?? "0") || length > most) {
      throw new RangeError(`'${one}' is neither an address nor a network`);
    }
    known.addSubnet(address, length, family === 4 ? "ipv4" : "ipv6");
  }
  return { has: (address) => known.check(address, isIPv4(address) ? "ipv4" : "ipv6") };
}

export const noProxies: TrustedProxies = { has: () => false };

/**
 * The sender of a request. Each trusted proxy appends the address it was called from to the header, so the list is
 * read from its end, up to the first address that is not a trusted proxy; clients may have forged everything before it.
 */
export function remoteOf(
  socketAddress: string | undefined,
  forwardedFor: string | undefined,
  proxies: TrustedProxies,
): Remote {
  const before = forwardedFor?.split(",") ?? [];
  let address = plainAddress(socketAddress);
  while (address !== undefined && proxies.has(address)) {
    const next = plainAddress(before.pop());
    if (next === undefined) break;
    address = next;
  }
  return { address: address ?? "unknown", client: clientAddress(address) };
}

/** The address without zone, port and brackets, IPv4-mapped ones as IPv4; undefined for other texts. */
function plainAddress(text: string | undefined): string | undefined {
  const [, bracketed, withPort] =
    /^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/.exec(text?.trim() ?? "") ?? [];
  const address = (bracketed ?? withPort ?? text?.trim() ?? "").split("%")[0] as string;
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  return isIP(address) === 0 ? undefined : address;
}

/** A name sent by a client, shortened for the log. */
export const shownName = (name: string): string => name.slice(0, 100);

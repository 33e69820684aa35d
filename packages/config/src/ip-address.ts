/** IP addresses as text and as numbers. */

/** Whether it is an IPv4 address in dotted form. */
export const isIpv4 = (text: string): boolean => numberOfIpv4(text) !== undefined;

/** Whether it is an IPv4 or IPv6 address. */
export const isIpAddress = (text: string): boolean => isIpv4(text) || isIpv6(text);

/** Undefined unless it consists of four numbers from 0 to 255 without leading zeros. */
export function numberOfIpv4(text: string): number | undefined {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part))) {
    return undefined;
  }
  let value = 0;
  for (const part of parts) {
    if (Number(part) > 255) return undefined;
    value = value * 256 + Number(part);
  }
  return value;
}

export const ipv4OfNumber = (value: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".");

/** Groups of hexadecimal digits, at most one `::`, possibly an IPv4 address at the end. */
export function isIpv6(text: string): boolean {
  const halves = text.split("::");
  if (halves.length > 2) return false;
  let count = 0;
  for (const [at, half] of halves.entries()) {
    if (half === "") {
      if (halves.length === 1) return false;
      continue;
    }
    const groups = half.split(":");
    const last = groups.at(-1) as string;
    if (last.includes(".") && at === halves.length - 1) {
      if (!isIpv4(last)) return false;
      groups.pop();
      count += 2;
    }
    if (!groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return false;
    count += groups.length;
  }
  return halves.length === 2 ? count <= 7 : count === 8;
}

/** An IPv4 network: its first address and the number of addresses. */
export interface Ipv4Network {
  readonly first: number;
  readonly size: number;
}

/**
 * Parses `a.b.c.d/n`, 32 without a length; undefined if it is invalid, or if the address has bits beyond the
 * prefix.
 */
export function ipv4Network(text: string): Ipv4Network | undefined {
  const [address = "", prefix = "32", ...rest] = text.split("/");
  const first = numberOfIpv4(address);
  if (first === undefined || rest.length > 0 || !/^\d{1,2}$/.test(prefix) || Number(prefix) > 32) {
    return undefined;
  }
  const size = 2 ** (32 - Number(prefix));
  return first % size === 0 ? { first, size } : undefined;
}

/** Output of `gnt-network info` for one network. */
import type { Json } from "@ganeti-ts/protocol";
import { pythonText, roundHalfEven } from "@ganeti-ts/protocol";
import { wrapped } from "../../usage.js";

/** Fields of a network, in the order of the query. */
export const infoFields = [
  ...["name", "network", "gateway", "network6", "gateway6", "mac_prefix", "free_count"],
  ...["reserved_count", "map", "group_list", "inst_list", "external_reservations"],
  ...["serial_no", "uuid"],
];

export interface NetworkInfo {
  /** By field; null for no value. */
  readonly values: Readonly<Record<string, Json>>;
  /** Addresses of each instance: `0:10.0.0.4`, by name. */
  readonly addresses: readonly (readonly [instance: string, addresses: string])[];
}

const rowLength = 64;

export function infoLines({ values, addresses }: NetworkInfo): string[] {
  const free = values.free_count as number;
  const size = free + (values.reserved_count as number);
  const text = (field: string) => pythonText(values[field] ?? null);
  const groups = values.group_list as readonly (readonly string[])[];
  const external = values.external_reservations as string | null;
  return [
    `Network name: ${text("name")}`,
    `UUID: ${text("uuid")}`,
    `Serial number: ${text("serial_no")}`,
    `  Subnet: ${text("network")}`,
    `  Gateway: ${text("gateway")}`,
    `  IPv6 Subnet: ${text("network6")}`,
    `  IPv6 Gateway: ${text("gateway6")}`,
    `  Mac Prefix: ${text("mac_prefix")}`,
    `  Size: ${size}`,
    `  Free: ${free} (${percentText(free, size)}%)`,
    "  Usage map:",
    ...mapLines(values.map as string),
    "         (X) used    (.) free",
    ...(external
      ? ["  externally reserved IPs:", ...wrapped(external, rowLength).map((line) => `    ${line}`)]
      : []),
    ...(groups.length > 0
      ? [
          "  connected to node groups:",
          ...groups.map(
            ([name, mode, link, vlan]) => `    ${name} (mode:${mode} link:${link} vlan:${vlan})`,
          ),
        ]
      : ["  not connected to any node group"]),
    ...(addresses.length > 0
      ? [
          `  used by ${addresses.length} instances:`,
          ...addresses.map(([name, own]) => `    ${name}: ${own}`),
        ]
      : ["  not used by any instances"]),
  ];
}

/**
 * Two decimals, rounding half to even as Python does; sizes are powers of two, so exact halves
 * occur.
 */
export function percentText(part: number, whole: number): string {
  const hundredths = roundHalfEven((10_000 * part) / whole);
  return (hundredths / 100).toFixed(2);
}

/** Rows of 64 addresses, with the number of the first and of the last. */
function mapLines(map: string): string[] {
  const lines: string[] = [];
  for (let at = 0; at < map.length; at += rowLength) {
    const row = map.slice(at, at + rowLength).padEnd(rowLength);
    lines.push(`     ${String(at).padStart(4)} ${row} ${at + rowLength - 1}`);
  }
  return lines;
}

/** The NICs of an instance in that network. */
export const addressesIn = (
  network: Json,
  ips: readonly Json[],
  networks: readonly Json[],
): string =>
  networks
    .flatMap((one, at) => (one === network ? [`${at}:${pythonText(ips[at] ?? null)}`] : []))
    .join(", ");

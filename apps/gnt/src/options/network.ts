/** Options about networks. */
import type { Option } from "../command.js";
import { flag, text } from "./kinds.js";

export const network = text("network", "ADDRESS/BITS", "Subnet of the network: 10.0.0.0/24");
export const addReservedIps = text(
  "add-reserved-ips",
  "IPS",
  "Addresses to reserve, separated by commas",
);
export const removeReservedIps = text("remove-reserved-ips", "IPS", "Addresses to release");
export const noConflictsCheck = flag(
  "no-conflicts-check",
  "Do not check whether instances outside the network use its addresses",
);

/** Values that can be changed later. */
export const networkValues: readonly Option[] = [
  text("gateway", "IP", "Address of the gateway"),
  text("mac-prefix", "XX:XX:XX", "First three octets of MAC addresses", { short: "m" }),
  text("network6", "ADDRESS/BITS", "IPv6 subnet of the network"),
  text("gateway6", "IP", "IPv6 address of the gateway"),
];

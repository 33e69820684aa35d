/** Options about networks. */
import type { Option } from "../command.js";

const text = (name: string, placeholder: string, help: string): Option => ({
  name,
  type: "text",
  placeholder,
  help,
});

export const network = text("network", "ADDRESS/BITS", "Its addresses: 10.0.0.0/24");
export const addReservedIps = text(
  "add-reserved-ips",
  "IPS",
  "Addresses to keep free, with commas",
);
export const removeReservedIps = text("remove-reserved-ips", "IPS", "Addresses not to keep free");
export const noConflictsCheck: Option = {
  name: "no-conflicts-check",
  type: "flag",
  help: "Do not look whether others use such addresses",
};

/** Values that can be changed later. */
export const networkValues: readonly Option[] = [
  text("gateway", "IP", "The router's address"),
  { ...text("mac-prefix", "XX:XX:XX", "How addresses of network cards begin"), short: "m" },
  text("network6", "ADDRESS/BITS", "Its IPv6 addresses"),
  text("gateway6", "IP", "The router's IPv6 address"),
];

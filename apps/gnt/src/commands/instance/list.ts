/** `gnt-instance list`. */
import type { Json } from "@ganeti-ts/protocol";
import { pythonText } from "@ganeti-ts/protocol";
import type { Invocation } from "../../invocation.js";
import { type Listing, list } from "../../listing.js";
import type { Format } from "../../table.js";

/** Formats lists of plain values, separated by commas. */
const commas: Format = {
  text: (value) => (Array.isArray(value) ? (value as Json[]) : [value]).map(pythonText).join(","),
};

const listed = [
  ...["tags", "disk.sizes", "nic.macs", "nic.ips", "nic.modes", "nic.links", "nic.bridges"],
  ...["nic.networks", "snodes", "snodes.group", "snodes.group.uuid"],
];

/** Reservations are `ADMIN_down` for Ganeti; on a terminal the status column distinguishes them from stopped instances. */
const reservations: NonNullable<Listing["mark"]> = {
  field: "forthcoming",
  marks: "status",
  as: "reserved",
};

export const run = (invocation: Invocation) =>
  list(invocation, {
    mark: reservations,
    kind: "instance",
    dispensable: ["hypervisor", "os", "oper_ram"],
    defaultFields: ["name", "hypervisor", "os", "pnode", "status", "oper_ram"],
    formats: Object.fromEntries(listed.map((field) => [field, commas])),
  });

/** Query fields of a network. */
import { addressCounts, addressMap, externalAddresses, type Snapshot } from "@ganeti-ts/config";
import type { NetworkObject } from "@ganeti-ts/protocol";
import { commonFields } from "./common-fields.js";
import { type Field, field, optionalField } from "./field.js";
import { instanceLabel } from "./instance-fields.js";

/** `[group, mode, link, vlan]` for every connected group. */
const connections = ({ uuid }: NetworkObject, now: Snapshot) =>
  Array.from(now.groups()).flatMap(({ name, networks }) => {
    const params = networks[uuid];
    return params === undefined
      ? []
      : [[name, params.mode ?? "-", params.link ?? "-", params.vlan ?? "-"]];
  });

const instancesIn = ({ uuid }: NetworkObject, now: Snapshot) =>
  now.instancesOfNetwork(uuid).map(instanceLabel);

/** Query fields of networks. */
export const networkFields: readonly Field<NetworkObject>[] = [
  field(["name", "Network", "text", "Name"], ({ name }) => name),
  field(["network", "Subnet", "text", "IPv4 subnet"], ({ network }) => network),
  optionalField(
    ["gateway", "Gateway", "other", "IPv4 gateway"],
    "unavailable",
    ({ gateway }) => gateway,
  ),
  optionalField(
    ["network6", "IPv6Subnet", "other", "IPv6 subnet"],
    "unavailable",
    ({ network6 }) => network6,
  ),
  optionalField(
    ["gateway6", "IPv6Gateway", "other", "IPv6 gateway"],
    "unavailable",
    ({ gateway6 }) => gateway6,
  ),
  optionalField(
    ["mac_prefix", "MacPrefix", "other", "MAC address prefix"],
    "unavailable",
    ({ mac_prefix }) => mac_prefix,
  ),
  field(
    ["free_count", "FreeCount", "number", "Number of available addresses"],
    (network) => addressCounts(network).free,
  ),
  field(["map", "Map", "text", "Actual mapping"], addressMap),
  field(
    ["reserved_count", "ReservedCount", "number", "Number of reserved addresses"],
    (network) => addressCounts(network).reserved,
  ),
  field(
    ["group_list", "GroupList", "other", "List of nodegroups (group name, NIC mode, NIC link)"],
    connections,
  ),
  field(
    ["group_cnt", "NodeGroups", "number", "Number of nodegroups"],
    (network, now) => connections(network, now).length,
  ),
  field(["inst_list", "InstanceList", "other", "List of instances"], instancesIn),
  field(
    ["inst_cnt", "Instances", "number", "Number of instances"],
    (network, now) => instancesIn(network, now).length,
  ),
  field(
    ["external_reservations", "ExternalReservations", "text", "External reservations"],
    (network) => externalAddresses(network).join(", "),
  ),
  ...commonFields<NetworkObject>("Network"),
];

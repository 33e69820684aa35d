/** Query fields of an instance's network interfaces, together and one by one. */
import type { Snapshot } from "@ganeti-ts/config";
import type { ForthcomingNic, InstanceObject, NicObject } from "@ganeti-ts/protocol";
import { instanceNicsMax } from "@ganeti-ts/protocol";
import type { FieldKind } from "@ganeti-ts/query";
import { type Field, field, optionalField } from "./field.js";
import { ordinal } from "./ordinal.js";

type Nic = NicObject | ForthcomingNic;

interface NicValue {
  /** As in `nic.ip/0`, and its title without the number. */
  readonly one: readonly [name: string, title: string];
  readonly description: string;
  /** As in `nic.ips`, its title, and its description after "List containing each …". */
  readonly all: readonly [name: string, title: string, doc: string];
  readonly read: (nic: Nic, now: Snapshot) => unknown;
}

/**
 * The cluster's parameters under the NIC's. The connection of the group to the network does not count
 * here: its parameters are copied to the NIC when it is placed. Source: Ganeti, Query/Instance.hs,
 * `fillNicParamsFromConfig`.
 */
const filled = ({ nicparams }: Nic, { cluster }: Snapshot) => ({
  ...cluster.nicparams.default,
  ...nicparams,
});

const values: readonly NicValue[] = [
  {
    one: ["ip", "NicIP"],
    description: "IP address",
    all: ["ips", "NIC_IPs", "network interface's IP address"],
    read: ({ ip }) => ip,
  },
  {
    one: ["uuid", "NicUUID"],
    description: "UUID address",
    all: ["uuids", "NIC_UUIDs", "network interface's UUID"],
    read: ({ uuid }) => uuid,
  },
  {
    one: ["mac", "NicMAC"],
    description: "MAC address",
    all: ["macs", "NIC_MACs", "network interface's MAC address"],
    read: ({ mac }) => mac,
  },
  {
    one: ["name", "NicName"],
    description: "Name address",
    all: ["names", "NIC_Names", "network interface's name"],
    read: ({ name }) => name,
  },
  {
    one: ["network", "NicNetwork"],
    description: "Network",
    all: ["networks", "NIC_networks", "interface's network"],
    read: ({ network }) => network,
  },
  {
    one: ["mode", "NicMode"],
    description: "Mode",
    all: ["modes", "NIC_modes", "network interface's mode"],
    read: (nic, now) => filled(nic, now).mode,
  },
  {
    one: ["link", "NicLink"],
    description: "Link",
    all: ["links", "NIC_links", "network interface's link"],
    read: (nic, now) => filled(nic, now).link,
  },
  {
    one: ["vlan", "NicVLAN"],
    description: "VLAN",
    all: ["vlans", "NIC_VLANs", "network interface's VLAN"],
    read: (nic, now) => {
      const { mode, vlan } = filled(nic, now);
      return mode === "openvswitch" ? vlan : undefined;
    },
  },
  {
    one: ["network.name", "NicNetworkName"],
    description: "Network name",
    all: ["networks.names", "NIC_networks_names", "the name of each interface's network"],
    read: ({ network }, now) => network && now.network(network)?.name,
  },
  {
    one: ["bridge", "NicBridge"],
    description: "Bridge",
    all: ["bridges", "NIC_bridges", "network interface's bridge"],
    read: (nic, now) => {
      const { mode, link } = filled(nic, now);
      return mode === "bridged" ? link : undefined;
    },
  },
];

const aggregate = ({ all: [name, title, doc], read }: NicValue): Field<InstanceObject> =>
  field(
    [
      `nic.${name}`,
      title,
      "other",
      `List containing ${doc.startsWith("the ") ? doc : `each ${doc}`}`,
    ],
    (instance, now) => instance.nics.map((nic) => read(nic, now) ?? null),
  );

const ofNic =
  (index: number) =>
  ({ one: [name, title], description, read }: NicValue): Field<InstanceObject> =>
    optionalField(
      [
        `nic.${name}/${index}`,
        `${title}/${index}`,
        "text" satisfies FieldKind,
        `${description} of ${ordinal(index + 1)} network interface`,
      ],
      "unavailable",
      (instance, now) => {
        const nic = instance.nics[index];
        return nic && read(nic, now);
      },
    );

export const nicFields: readonly Field<InstanceObject>[] = [
  field(["nic.count", "NICs", "number", "Number of network interfaces"], ({ nics }) => nics.length),
  ...values.map(aggregate),
  ...Array.from({ length: instanceNicsMax }, (_, index) => values.map(ofNic(index))).flat(),
];

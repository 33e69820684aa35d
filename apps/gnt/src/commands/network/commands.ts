/** The commands of gnt-network. */
import { type Argument, anyNumber, type Command, one } from "../../command.js";
import {
  addReservedIps,
  network,
  networkValues,
  noConflictsCheck,
  removeReservedIps,
} from "../../options/network.js";
import { nicParameters } from "../../options/parameters.js";
import {
  dryRun,
  force,
  headers,
  output,
  priority,
  submitting,
  verbose,
  wide,
} from "../../options/shared.js";
import { defaultNetworkFields } from "../default-fields.js";
import { listFieldsCommand } from "../list-fields-command.js";
import { tagCommands } from "../tags/tag-commands.js";

const oneAndGroups: readonly Argument[] = [...one("network"), ...anyNumber("group")];

const listing: readonly Command[] = [
  {
    name: "list",
    summary:
      'Lists the IP networks in the cluster. The available fields can be shown using the "list-fields" command' +
      ` (see the man page for details). The default list is (in order): ${defaultNetworkFields.join(", ")}.`,
    usage: "[<network-name>...]",
    arguments: anyNumber("network"),
    options: [...headers, wide, output, verbose],
    examples: [
      { line: "gnt-network list -o +free_count", does: "with the number of free addresses" },
      { line: "gnt-network list --no-headers --separator=: net1", does: "output for scripts" },
    ],
    load: async () => (await import("./list.js")).run,
  },
  listFieldsCommand({
    kind: "network",
    things: "networks",
    usage: "[<fields>...]",
    example: { line: "gnt-network list-fields map", does: "the meaning of the field map" },
  }),
  {
    name: "info",
    summary: "Show information about the network(s)",
    usage: "[<network>...]",
    arguments: anyNumber("network"),
    options: [],
    examples: [{ line: "gnt-network info net1", does: "with a map of its addresses" }],
    load: async () => (await import("./info.js")).run,
  },
];

const changing: readonly Command[] = [
  {
    name: "add",
    summary: "Add a new IP network to the cluster",
    usage: "<network-name>",
    arguments: one("network"),
    options: [
      ...[dryRun, network, ...networkValues, addReservedIps, noConflictsCheck],
      {
        name: "tags",
        type: "text",
        placeholder: "TAGS",
        completes: "tag",
        help: "Tags of the network, separated by commas",
      },
      ...[priority, ...submitting],
    ],
    examples: [
      {
        line: "gnt-network add --network=10.0.0.0/24 --gateway=10.0.0.1 net1",
        does: "256 addresses, three of them reserved: the first, the last and the gateway's",
      },
      {
        line: "gnt-network add --network=10.1.0.0/28 --add-reserved-ips=10.1.0.5,10.1.0.6 net2",
        does: "reserve two addresses from use by instances",
      },
    ],
    load: async () => (await import("./changes.js")).add,
  },
  {
    name: "modify",
    summary: "Alters the parameters of a network",
    usage: "<network>",
    arguments: one("network"),
    options: [
      ...[dryRun, ...submitting, addReservedIps, removeReservedIps, ...networkValues, priority],
    ],
    examples: [
      { line: "gnt-network modify --gateway=10.0.0.254 net1", does: "another gateway" },
      { line: "gnt-network modify --gateway=none net1", does: "remove the gateway" },
    ],
    load: async () => (await import("./changes.js")).modify,
  },
  {
    name: "connect",
    summary: "Map a given network to the specified node group with given mode and link (netparams)",
    usage: "<network> [<group>...]",
    arguments: oneAndGroups,
    options: [noConflictsCheck, priority, nicParameters],
    examples: [
      { line: "gnt-network connect net1", does: "to all groups, bridged to xen-br0" },
      {
        line: "gnt-network connect -N mode=bridged,link=br1 net1 default",
        does: "to one group, on another bridge",
      },
    ],
    load: async () => (await import("./changes.js")).connect,
  },
  {
    name: "disconnect",
    summary: "Unmap a given network from a specified node group",
    usage: "<network> [<group>...]",
    arguments: oneAndGroups,
    options: [priority],
    examples: [{ line: "gnt-network disconnect net1 default", does: "from one group" }],
    load: async () => (await import("./changes.js")).disconnect,
  },
  {
    name: "remove",
    summary: "Remove an (empty) network from the cluster",
    usage: "[--dry-run] <network>",
    arguments: one("network"),
    options: [force, dryRun, ...submitting, priority],
    examples: [{ line: "gnt-network remove net1", does: "a network without connected groups" }],
    load: async () => (await import("./changes.js")).remove,
  },
  {
    name: "rename",
    summary: "Rename a network",
    usage: "[--dry-run] <old-name> <new-name>",
    arguments: [{ kind: "network", min: 2, max: 2 }],
    options: [dryRun, ...submitting, priority],
    examples: [{ line: "gnt-network rename net1 blue", does: "instances stay connected" }],
    load: async () => (await import("./changes.js")).rename,
  },
];

export const networkCommands: readonly Command[] = [
  ...listing,
  ...changing,
  ...tagCommands({
    program: "gnt-network",
    thing: { kind: "network", usage: "<network>", example: "net1" },
    called: "the given network",
  }),
];

/** gnt-network: networks with pools of addresses for instances. */
import { type Argument, anyNumber, one, programOf } from "../command.js";
import { defaultNetworkFields } from "../commands/default-fields.js";
import { listFieldsCommand } from "../commands/list-fields-command.js";
import { tagCommands } from "../commands/tags/tag-commands.js";
import { text } from "../options/kinds.js";
import {
  addReservedIps,
  network,
  networkValues,
  noConflictsCheck,
  removeReservedIps,
} from "../options/network.js";
import { nicParameters } from "../options/parameters.js";
import {
  dryRun,
  force,
  headers,
  output,
  priority,
  submitting,
  verbose,
  wide,
} from "../options/shared.js";

const oneAndGroups: readonly Argument[] = [...one("network"), ...anyNumber("group")];

export const program = programOf("gnt-network", "Network commands", {
  list: {
    summary:
      'Lists the IP networks in the cluster. The available fields can be shown using the "list-fields" command' +
      ` (see the man page for details). The default list is (in order): ${defaultNetworkFields.join(", ")}.`,
    usage: "[<network-name>...]",
    arguments: anyNumber("network"),
    options: [...headers, wide, output, verbose],
    examples: {
      "gnt-network list -o +free_count": "with the number of free addresses",
      "gnt-network list --no-headers --separator=: net1": "output for scripts",
    },
    load: async () => (await import("../commands/lists.js")).networks,
  },
  "list-fields": listFieldsCommand("network", "networks", "[<fields>...]", {
    "gnt-network list-fields map": "the meaning of the field map",
  }),
  info: {
    summary: "Show information about the network(s)",
    usage: "[<network>...]",
    arguments: anyNumber("network"),
    examples: { "gnt-network info net1": "with a map of its addresses" },
    load: async () => (await import("../commands/network/info.js")).run,
  },
  add: {
    summary: "Add a new IP network to the cluster",
    usage: "<network-name>",
    arguments: one("network"),
    options: [
      ...[dryRun, network, ...networkValues, addReservedIps, noConflictsCheck],
      text("tags", "TAGS", "Tags of the network, separated by commas", { completes: "tag" }),
      ...[priority, ...submitting],
    ],
    examples: {
      "gnt-network add --network=10.0.0.0/24 --gateway=10.0.0.1 net1":
        "256 addresses, three of them reserved: the first, the last and the gateway's",
      "gnt-network add --network=10.1.0.0/28 --add-reserved-ips=10.1.0.5,10.1.0.6 net2":
        "reserve two addresses from use by instances",
    },
    load: async () => (await import("../commands/network/changes.js")).add,
  },
  modify: {
    summary: "Alters the parameters of a network",
    usage: "<network>",
    arguments: one("network"),
    options: [
      ...[dryRun, ...submitting, addReservedIps, removeReservedIps, ...networkValues, priority],
    ],
    examples: {
      "gnt-network modify --gateway=10.0.0.254 net1": "another gateway",
      "gnt-network modify --gateway=none net1": "remove the gateway",
    },
    load: async () => (await import("../commands/network/changes.js")).modify,
  },
  connect: {
    summary: "Map a given network to the specified node group with given mode and link (netparams)",
    usage: "<network> [<group>...]",
    arguments: oneAndGroups,
    options: [noConflictsCheck, priority, nicParameters],
    examples: {
      "gnt-network connect net1": "to all groups, bridged to xen-br0",
      "gnt-network connect -N mode=bridged,link=br1 net1 default":
        "to one group, on another bridge",
    },
    load: async () => (await import("../commands/network/changes.js")).connect,
  },
  disconnect: {
    summary: "Unmap a given network from a specified node group",
    usage: "<network> [<group>...]",
    arguments: oneAndGroups,
    options: [priority],
    examples: { "gnt-network disconnect net1 default": "from one group" },
    load: async () => (await import("../commands/network/changes.js")).disconnect,
  },
  remove: {
    summary: "Remove an (empty) network from the cluster",
    usage: "[--dry-run] <network>",
    arguments: one("network"),
    options: [force, dryRun, ...submitting, priority],
    examples: { "gnt-network remove net1": "a network without connected groups" },
    load: async () => (await import("../commands/network/changes.js")).remove,
  },
  rename: {
    summary: "Rename a network",
    usage: "[--dry-run] <old-name> <new-name>",
    arguments: [{ kind: "network", min: 2, max: 2 }],
    options: [dryRun, ...submitting, priority],
    examples: { "gnt-network rename net1 blue": "instances stay connected" },
    load: async () => (await import("../commands/network/changes.js")).rename,
  },
  ...tagCommands({
    program: "gnt-network",
    thing: { kind: "network", usage: "<network>", example: "net1" },
    called: "the given network",
  }),
});

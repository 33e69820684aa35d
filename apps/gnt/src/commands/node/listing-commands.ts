/** Commands of gnt-node that show data. */
import { anyNumber, type Commands, one } from "../../command.js";
import { text } from "../../options/kinds.js";
import { oobTimeout } from "../../options/node.js";
import { filter, headers, output, priority, units, verbose, wide } from "../../options/shared.js";
import { defaultNodeFields, defaultStorageFields } from "../default-fields.js";
import { listFieldsCommand } from "../list-fields-command.js";

const storageTypes = ["file", "lvm-pv", "lvm-vg", "sharedfile", "gluster"];

export const listing: Commands = {
  list: {
    summary:
      'Lists the nodes in the cluster. The available fields can be shown using the "list-fields" command' +
      ` (see the man page for details). The default field list is (in order): ${defaultNodeFields.join(", ")}.`,
    usage: "[<node-name>...]",
    arguments: anyNumber("node"),
    options: [...headers, wide, units, output, verbose, filter],
    environment: true,
    examples: {
      "gnt-node list -o +role,group": "with two additional fields",
      "gnt-node list -F 'role == \"C\" and mfree < 4096'":
        "master candidates with little free memory",
      "gnt-node list --no-headers --separator=: -o name,mfree": "output for scripts",
    },
    load: async () => (await import("../lists.js")).nodes,
  },
  "list-fields": listFieldsCommand("node", "nodes", "[fields...]", {
    "gnt-node list-fields role": "the meaning of role letters",
  }),
  info: {
    aliases: ["show"],
    summary: "Show information about the node(s)",
    usage: "[<node>...]",
    arguments: anyNumber("node"),
    examples: { "gnt-node info node2": "one node with its instances and parameters" },
    load: async () => (await import("./info.js")).run,
  },
  volumes: {
    summary: "List logical volumes on node(s)",
    usage: "[<node-name>...]",
    arguments: anyNumber("node"),
    options: [...headers, units, output, priority],
    examples: { "gnt-node volumes node2": "volumes with their instances" },
    load: async () => (await import("./storage-lists.js")).volumes,
  },
  "list-storage": {
    summary: `List physical volumes on node(s). The available fields are (see the man page for details): ${defaultStorageFields.join(", ")}.`,
    usage: "[<node-name>...]",
    arguments: anyNumber("node"),
    options: [
      ...[...headers, units, output],
      text("storage-type", "TYPE", `Type of storage units: ${storageTypes.join(", ")}`, {
        short: "t",
        choices: storageTypes,
      }),
      priority,
    ],
    examples: {
      "gnt-node list-storage": "storage of the type used by the default disk template",
      "gnt-node list-storage -t lvm-pv node2": "the physical volumes of one node",
    },
    load: async () => (await import("./storage-lists.js")).storage,
  },
  "list-drbd": {
    summary: "Query the list of used DRBD minors on the given node",
    usage: "<node>",
    arguments: one("node"),
    options: headers,
    examples: { "gnt-node list-drbd node2": "minor, disk and peer node of each mirror" },
    load: async () => (await import("./list-drbd.js")).run,
  },
  health: {
    summary: "List health of node(s) using out-of-band",
    usage: "[<node-name>...]",
    arguments: anyNumber("node"),
    options: [...headers, priority, oobTimeout],
    examples: { "gnt-node health": "all nodes with an out-of-band helper" },
    load: async () => (await import("./power.js")).health,
  },
};

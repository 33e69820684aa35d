/** Commands of gnt-node that show data. */
import { anyNumber, type Command, one } from "../../command.js";
import { oobTimeout } from "../../options/node.js";
import { filter, headers, output, priority, units, verbose, wide } from "../../options/shared.js";
import { defaultNodeFields, defaultStorageFields } from "../default-fields.js";
import { listFieldsCommand } from "../list-fields-command.js";

const storageTypes = ["file", "lvm-pv", "lvm-vg", "sharedfile", "gluster"];

export const listing: readonly Command[] = [
  {
    name: "list",
    summary:
      'Lists the nodes in the cluster. The available fields can be shown using the "list-fields" command' +
      ` (see the man page for details). The default field list is (in order): ${defaultNodeFields.join(", ")}.`,
    usage: "[<node-name>...]",
    arguments: anyNumber("node"),
    options: [...headers, wide, units, output, verbose, filter],
    environment: true,
    examples: [
      { line: "gnt-node list -o +role,group", does: "with two additional fields" },
      {
        line: `gnt-node list -F 'role == "C" and mfree < 4096'`,
        does: "master candidates with little free memory",
      },
      {
        line: "gnt-node list --no-headers --separator=: -o name,mfree",
        does: "output for scripts",
      },
    ],
    load: async () => (await import("./lists.js")).nodes,
  },
  listFieldsCommand({
    kind: "node",
    things: "nodes",
    usage: "[fields...]",
    example: { line: "gnt-node list-fields role", does: "the meaning of role letters" },
  }),
  {
    name: "info",
    aliases: ["show"],
    summary: "Show information about the node(s)",
    usage: "[<node>...]",
    arguments: anyNumber("node"),
    options: [],
    examples: [{ line: "gnt-node info node2", does: "one node with its instances and parameters" }],
    load: async () => (await import("./info.js")).run,
  },
  {
    name: "volumes",
    summary: "List logical volumes on node(s)",
    usage: "[<node-name>...]",
    arguments: anyNumber("node"),
    options: [...headers, units, output, priority],
    examples: [{ line: "gnt-node volumes node2", does: "volumes with their instances" }],
    load: async () => (await import("./lists.js")).volumes,
  },
  {
    name: "list-storage",
    summary: `List physical volumes on node(s). The available fields are (see the man page for details): ${defaultStorageFields.join(", ")}.`,
    usage: "[<node-name>...]",
    arguments: anyNumber("node"),
    options: [
      ...[...headers, units, output],
      {
        name: "storage-type",
        short: "t",
        type: "text",
        placeholder: "TYPE",
        choices: storageTypes,
        help: `Type of storage units: ${storageTypes.join(", ")}`,
      },
      priority,
    ],
    examples: [
      {
        line: "gnt-node list-storage",
        does: "storage of the type used by the default disk template",
      },
      { line: "gnt-node list-storage -t lvm-pv node2", does: "the physical volumes of one node" },
    ],
    load: async () => (await import("./lists.js")).storage,
  },
  {
    name: "list-drbd",
    summary: "Query the list of used DRBD minors on the given node",
    usage: "<node>",
    arguments: one("node"),
    options: headers,
    examples: [
      { line: "gnt-node list-drbd node2", does: "minor, disk and peer node of each mirror" },
    ],
    load: async () => (await import("./list-drbd.js")).run,
  },
  {
    name: "health",
    summary: "List health of node(s) using out-of-band",
    usage: "[<node-name>...]",
    arguments: anyNumber("node"),
    options: [...headers, priority, oobTimeout],
    examples: [{ line: "gnt-node health", does: "all nodes with an out-of-band helper" }],
    load: async () => (await import("./power.js")).health,
  },
];

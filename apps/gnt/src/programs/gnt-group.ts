/** gnt-group: groups of nodes. */
import { anyNumber, type Option, one, programOf } from "../command.js";
import { defaultGroupFields } from "../commands/default-fields.js";
import { listFieldsCommand } from "../commands/list-fields-command.js";
import { tagCommands } from "../commands/tags/tag-commands.js";
import { flag, text } from "../options/kinds.js";
import { earlyRelease } from "../options/node.js";
import { diskParameters, nodeParameters, states } from "../options/parameters.js";
import { groupPolicy } from "../options/policy.js";
import {
  dryRun,
  filter,
  force,
  headers,
  iallocator,
  output,
  priority,
  submitting,
  verbose,
  wide,
} from "../options/shared.js";

const allocPolicy = text(
  "alloc-policy",
  "POLICY",
  "Use for new instances: preferred, last_resort or unallocable",
);
const values: readonly Option[] = [
  ...[allocPolicy, nodeParameters, diskParameters, ...states, ...groupPolicy],
];

export const program = programOf("gnt-group", "Node group commands", {
  list: {
    summary:
      'Lists the node groups in the cluster. The available fields can be shown using the "list-fields" command' +
      ` (see the man page for details). The default list is (in order): ${defaultGroupFields.join(", ")}.`,
    usage: "[<group-name>...]",
    arguments: anyNumber("group"),
    options: [...headers, wide, output, verbose, filter],
    environment: true,
    examples: {
      "gnt-group list -o +node_list": "with the names of their nodes",
      "gnt-group list -F 'node_cnt > 10'": "only large groups",
    },
    load: async () => (await import("../commands/lists.js")).groups,
  },
  "list-fields": listFieldsCommand("group", "node groups", "[fields...]", {
    "gnt-group list-fields": "all groups",
  }),
  info: {
    summary: "Show group information",
    usage: "[<group>...]",
    arguments: anyNumber("group"),
    examples: { "gnt-group info default": "own and inherited values" },
    load: async () => (await import("../commands/group/info.js")).info,
  },
  "show-ispecs-cmd": {
    summary: "Show the command line to re-create a group",
    usage: "[--include-defaults] [<group>...]",
    arguments: anyNumber("group"),
    options: [flag("include-defaults", "Include values inherited from the cluster")],
    examples: { "gnt-group show-ispecs-cmd": "commands for every group, with its instance limits" },
    load: async () => (await import("../commands/group/info.js")).showIspecsCommand,
  },
  add: {
    summary: "Add a new node group to the cluster",
    usage: "<group-name>",
    arguments: one("group"),
    options: [dryRun, ...values, priority, ...submitting],
    examples: {
      "gnt-group add rack2": "a group without nodes",
      "gnt-group add --alloc-policy=last_resort --node-parameters=spindle_count=4 old":
        "a group for instances that fit nowhere else",
    },
    load: async () => (await import("../commands/group/changes.js")).add,
  },
  "assign-nodes": {
    summary: "Assign nodes to a group",
    usage: "<group-name> <node-name>...",
    arguments: [...one("group"), ...anyNumber("node")],
    options: [dryRun, force, priority, ...submitting],
    examples: {
      "gnt-group assign-nodes rack2 node3 node4": "move two nodes to the group",
      "gnt-group assign-nodes -f rack2 node3": "even if that splits instances across groups",
    },
    load: async () => (await import("../commands/group/changes.js")).assignNodes,
  },
  modify: {
    summary: "Alters the parameters of a node group",
    usage: "<group>",
    arguments: one("group"),
    options: [dryRun, ...submitting, ...values, priority],
    examples: {
      "gnt-group modify --alloc-policy=unallocable rack2": "no new instances in the group",
      "gnt-group modify --ipolicy-vcpu-ratio=default rack2": "reset to the cluster's value",
    },
    load: async () => (await import("../commands/group/changes.js")).modify,
  },
  remove: {
    summary: "Remove an (empty) node group from the cluster",
    usage: "[--dry-run] <group>",
    arguments: one("group"),
    options: [dryRun, priority, ...submitting],
    examples: { "gnt-group remove rack2": "a group without nodes" },
    load: async () => (await import("../commands/group/changes.js")).remove,
  },
  rename: {
    summary: "Rename a node group",
    usage: "[--dry-run] <old-name> <new-name>",
    arguments: [{ kind: "group", min: 2, max: 2 }],
    options: [dryRun, ...submitting, priority],
    examples: { "gnt-group rename rack2 basement": "the UUID stays" },
    load: async () => (await import("../commands/group/changes.js")).rename,
  },
  evacuate: {
    summary: "Evacuate all instances within a group",
    usage: "[-I <iallocator>] [--to <group>] <source-group>",
    arguments: one("group"),
    options: [
      text("to", "<group>", "Target group; repeatable", { repeatable: true, completes: "group" }),
      ...[iallocator, earlyRelease],
      flag("sequential", "Run the jobs one after the other"),
      flag("force-failover", "Fail over instead of migrating"),
      ...submitting,
    ],
    examples: {
      "gnt-group evacuate --to=basement rack2": "move all instances to other groups",
      "gnt-group evacuate --submit rack2": "to groups chosen by the allocator",
    },
    load: async () => (await import("../commands/group/changes.js")).evacuate,
  },
  ...tagCommands({
    program: "gnt-group",
    thing: { kind: "group", usage: "<group>", example: "rack2" },
    called: "the given group",
  }),
});

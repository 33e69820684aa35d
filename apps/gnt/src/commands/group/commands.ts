/** The commands of gnt-group. */
import { anyNumber, type Command, type Option, one } from "../../command.js";
import { flag, text } from "../../options/kinds.js";
import { earlyRelease } from "../../options/node.js";
import { diskParameters, nodeParameters, states } from "../../options/parameters.js";
import { groupPolicy } from "../../options/policy.js";
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
} from "../../options/shared.js";
import { defaultGroupFields } from "../default-fields.js";
import { listFieldsCommand } from "../list-fields-command.js";
import { tagCommands } from "../tags/tag-commands.js";

const allocPolicy = text(
  "alloc-policy",
  "POLICY",
  "Use for new instances: preferred, last_resort or unallocable",
);
const values: readonly Option[] = [
  ...[allocPolicy, nodeParameters, diskParameters, ...states, ...groupPolicy],
];

const looking: readonly Command[] = [
  {
    name: "list",
    summary:
      'Lists the node groups in the cluster. The available fields can be shown using the "list-fields" command' +
      ` (see the man page for details). The default list is (in order): ${defaultGroupFields.join(", ")}.`,
    usage: "[<group-name>...]",
    arguments: anyNumber("group"),
    options: [...headers, wide, output, verbose, filter],
    environment: true,
    examples: [
      { line: "gnt-group list -o +node_list", does: "with the names of their nodes" },
      { line: `gnt-group list -F 'node_cnt > 10'`, does: "only large groups" },
    ],
    load: async () => (await import("./list.js")).run,
  },
  listFieldsCommand({
    kind: "group",
    things: "node groups",
    usage: "[fields...]",
    example: { line: "gnt-group list-fields", does: "all groups" },
  }),
  {
    name: "info",
    summary: "Show group information",
    usage: "[<group>...]",
    arguments: anyNumber("group"),
    options: [],
    examples: [{ line: "gnt-group info default", does: "own and inherited values" }],
    load: async () => (await import("./info.js")).info,
  },
  {
    name: "show-ispecs-cmd",
    summary: "Show the command line to re-create a group",
    usage: "[--include-defaults] [<group>...]",
    arguments: anyNumber("group"),
    options: [flag("include-defaults", "Include values inherited from the cluster")],
    examples: [
      {
        line: "gnt-group show-ispecs-cmd",
        does: "commands for every group, with its instance limits",
      },
    ],
    load: async () => (await import("./info.js")).showIspecsCommand,
  },
];

const changing: readonly Command[] = [
  {
    name: "add",
    summary: "Add a new node group to the cluster",
    usage: "<group-name>",
    arguments: one("group"),
    options: [dryRun, ...values, priority, ...submitting],
    examples: [
      { line: "gnt-group add rack2", does: "a group without nodes" },
      {
        line: "gnt-group add --alloc-policy=last_resort --node-parameters=spindle_count=4 old",
        does: "a group for instances that fit nowhere else",
      },
    ],
    load: async () => (await import("./changes.js")).add,
  },
  {
    name: "assign-nodes",
    summary: "Assign nodes to a group",
    usage: "<group-name> <node-name>...",
    arguments: [...one("group"), ...anyNumber("node")],
    options: [dryRun, force, priority, ...submitting],
    examples: [
      { line: "gnt-group assign-nodes rack2 node3 node4", does: "move two nodes to the group" },
      {
        line: "gnt-group assign-nodes -f rack2 node3",
        does: "even if that splits instances across groups",
      },
    ],
    load: async () => (await import("./changes.js")).assignNodes,
  },
  {
    name: "modify",
    summary: "Alters the parameters of a node group",
    usage: "<group>",
    arguments: one("group"),
    options: [dryRun, ...submitting, ...values, priority],
    examples: [
      {
        line: "gnt-group modify --alloc-policy=unallocable rack2",
        does: "no new instances in the group",
      },
      {
        line: "gnt-group modify --ipolicy-vcpu-ratio=default rack2",
        does: "reset to the cluster's value",
      },
    ],
    load: async () => (await import("./changes.js")).modify,
  },
  {
    name: "remove",
    summary: "Remove an (empty) node group from the cluster",
    usage: "[--dry-run] <group>",
    arguments: one("group"),
    options: [dryRun, priority, ...submitting],
    examples: [{ line: "gnt-group remove rack2", does: "a group without nodes" }],
    load: async () => (await import("./changes.js")).remove,
  },
  {
    name: "rename",
    summary: "Rename a node group",
    usage: "[--dry-run] <old-name> <new-name>",
    arguments: [{ kind: "group", min: 2, max: 2 }],
    options: [dryRun, ...submitting, priority],
    examples: [{ line: "gnt-group rename rack2 basement", does: "the UUID stays" }],
    load: async () => (await import("./changes.js")).rename,
  },
  {
    name: "evacuate",
    summary: "Evacuate all instances within a group",
    usage: "[-I <iallocator>] [--to <group>] <source-group>",
    arguments: one("group"),
    options: [
      {
        name: "to",
        type: "text",
        repeatable: true,
        placeholder: "<group>",
        completes: "group",
        help: "Target group; repeatable",
      },
      ...[iallocator, earlyRelease],
      flag("sequential", "Run the jobs one after the other"),
      flag("force-failover", "Fail over instead of migrating"),
      ...submitting,
    ],
    examples: [
      {
        line: "gnt-group evacuate --to=basement rack2",
        does: "move all instances to other groups",
      },
      { line: "gnt-group evacuate --submit rack2", does: "to groups chosen by the allocator" },
    ],
    load: async () => (await import("./changes.js")).evacuate,
  },
];

export const groupCommands: readonly Command[] = [
  ...looking,
  ...changing,
  ...tagCommands({
    program: "gnt-group",
    thing: { kind: "group", usage: "<group>", example: "rack2" },
    called: "the given group",
  }),
];

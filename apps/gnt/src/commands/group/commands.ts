/** The commands of gnt-group. */

import type { Command, Option } from "../../command.js";
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
import { anyNumber, one } from "../counted.js";
import { tagCommands } from "../tags/tag-commands.js";
import { defaultGroupFields } from "./fields.js";

const allocPolicy: Option = {
  name: "alloc-policy",
  type: "text",
  placeholder: "POLICY",
  help: "preferred, last_resort or unallocable: whether new instances go there",
};
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
      { line: `gnt-group list -F 'node_cnt > 10'`, does: "only large ones" },
    ],
    load: () => import("./list.js"),
  },
  {
    name: "list-fields",
    summary: "Lists all available fields for node groups",
    usage: "[fields...]",
    arguments: anyNumber("field"),
    options: headers,
    examples: [{ line: "gnt-group list-fields", does: "all of them" }],
    load: () => import("./list-fields.js"),
  },
  {
    name: "info",
    summary: "Show group information",
    usage: "[<group>...]",
    arguments: anyNumber("group"),
    options: [],
    examples: [
      { line: "gnt-group info default", does: "what it says itself, and what by default" },
    ],
    load: () => import("./info.js"),
  },
  {
    name: "show-ispecs-cmd",
    summary: "Show the command line to re-create a group",
    usage: "[--include-defaults] [<group>...]",
    arguments: anyNumber("group"),
    options: [
      { name: "include-defaults", type: "flag", help: "Also what the cluster says for it" },
    ],
    examples: [
      { line: "gnt-group show-ispecs-cmd", does: "of every group, with its limits of instances" },
    ],
    load: () => import("./show-ispecs-cmd.js"),
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
      { line: "gnt-group add rack2", does: "without nodes as yet" },
      {
        line: "gnt-group add --alloc-policy=last_resort --node-parameters=spindle_count=4 old",
        does: "new instances go there only if they fit nowhere else",
      },
    ],
    load: () => import("./add.js"),
  },
  {
    name: "assign-nodes",
    summary: "Assign nodes to a group",
    usage: "<group-name> <node-name>...",
    arguments: [...one("group"), ...anyNumber("node")],
    options: [dryRun, force, priority, ...submitting],
    examples: [
      { line: "gnt-group assign-nodes rack2 node3 node4", does: "two nodes move there" },
      {
        line: "gnt-group assign-nodes -f rack2 node3",
        does: "even if instances are then on nodes of different groups",
      },
    ],
    load: () => import("./assign-nodes.js"),
  },
  {
    name: "modify",
    summary: "Alters the parameters of a node group",
    usage: "<group>",
    arguments: one("group"),
    options: [dryRun, ...submitting, ...values, priority],
    examples: [
      { line: "gnt-group modify --alloc-policy=unallocable rack2", does: "no new instances there" },
      { line: "gnt-group modify --ipolicy-vcpu-ratio=default rack2", does: "as the cluster says" },
    ],
    load: () => import("./modify.js"),
  },
  {
    name: "remove",
    summary: "Remove an (empty) node group from the cluster",
    usage: "[--dry-run] <group>",
    arguments: one("group"),
    options: [dryRun, priority, ...submitting],
    examples: [{ line: "gnt-group remove rack2", does: "once it has no nodes" }],
    load: () => import("./remove.js"),
  },
  {
    name: "rename",
    summary: "Rename a node group",
    usage: "[--dry-run] <old-name> <new-name>",
    arguments: [{ kind: "group", min: 2, max: 2 }],
    options: [dryRun, ...submitting, priority],
    examples: [{ line: "gnt-group rename rack2 basement", does: "its UUID stays" }],
    load: () => import("./rename.js"),
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
        help: "Where instances may go; repeatable",
      },
      ...[iallocator, earlyRelease],
      { name: "sequential", type: "flag", help: "One job after the other" },
      { name: "force-failover", type: "flag", help: "Fail over instead of migrating" },
      ...submitting,
    ],
    examples: [
      { line: "gnt-group evacuate --to=basement rack2", does: "all its instances move" },
      { line: "gnt-group evacuate --submit rack2", does: "wherever the allocator finds room" },
    ],
    load: () => import("./evacuate.js"),
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

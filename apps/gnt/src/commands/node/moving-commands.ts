/** Commands of gnt-node that move instances away. */
import { type Command, one } from "../../command.js";
import { flag } from "../../options/kinds.js";
import { earlyRelease, ignoreConsistency, targetNode } from "../../options/node.js";
import { force, iallocator, ignoreIpolicy, priority, submitting } from "../../options/shared.js";

export const moving: readonly Command[] = [
  {
    name: "evacuate",
    summary: "Relocate the primary and/or secondary instances from a node",
    usage: "[-f] {-I <iallocator> | -n <dst>} [-p | -s] [options...] <node>",
    arguments: one("node"),
    options: [
      ...[force, iallocator],
      flag("ignore-soft-errors", "Let the allocator ignore soft errors, such as N+1 failures"),
      {
        name: "new-secondary",
        short: "n",
        type: "text",
        placeholder: "NODE",
        completes: "node",
        help: "New secondary node for all instances",
      },
      ...[earlyRelease, priority],
      { name: "primary-only", short: "p", type: "flag", help: "Only primary instances" },
      {
        name: "secondary-only",
        short: "s",
        type: "flag",
        help: "Only secondary instances",
      },
      ...submitting,
    ],
    examples: [
      { line: "gnt-node evacuate -f node3", does: "all instances, to any nodes with room" },
      {
        line: "gnt-node evacuate -f -s --reason='rate-limit:2:moves' node3",
        does: "secondary instances only, two at a time",
      },
      { line: "gnt-node evacuate -n node5 node3", does: "secondary instances, to a given node" },
    ],
    load: async () => (await import("./moves.js")).evacuate,
  },
  {
    name: "failover",
    summary:
      "Stops the primary instances on a node and start them on their secondary node (only for instances with drbd disk template)",
    usage: "[-f] <node>",
    arguments: one("node"),
    options: [force, ignoreConsistency, iallocator, priority],
    examples: [{ line: "gnt-node failover -f node3", does: "instances of a dead node" }],
    load: async () => (await import("./moves.js")).failover,
  },
  {
    name: "migrate",
    summary:
      "Migrate all the primary instance on a node away from it (only for instances of type drbd)",
    usage: "[-f] <node>",
    arguments: one("node"),
    options: [
      force,
      flag("non-live", "Freeze instances during the migration"),
      {
        name: "migration-mode",
        type: "text",
        placeholder: "MODE",
        choices: ["live", "non-live"],
        help: "Migration mode, live or non-live",
      },
      ...[targetNode, iallocator, priority, ignoreIpolicy],
      flag("no-runtime-changes", "Do not shrink the memory of instances to fit"),
      ...submitting,
    ],
    examples: [
      { line: "gnt-node migrate -f node3", does: "move running instances without a stop" },
    ],
    load: async () => (await import("./moves.js")).migrate,
  },
];

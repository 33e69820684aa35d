/** Commands of gnt-node that move instances away. */
import { type Commands, one } from "../../command.js";
import { flag, text } from "../../options/kinds.js";
import { earlyRelease, ignoreConsistency, targetNode } from "../../options/node.js";
import { force, iallocator, ignoreIpolicy, priority, submitting } from "../../options/shared.js";

export const moving: Commands = {
  evacuate: {
    summary: "Relocate the primary and/or secondary instances from a node",
    usage: "[-f] {-I <iallocator> | -n <dst>} [-p | -s] [options...] <node>",
    arguments: one("node"),
    options: [
      ...[force, iallocator],
      flag("ignore-soft-errors", "Let the allocator ignore soft errors, such as N+1 failures"),
      text("new-secondary", "NODE", "New secondary node for all instances", {
        short: "n",
        completes: "node",
      }),
      ...[earlyRelease, priority],
      flag("primary-only", "Only primary instances", { short: "p" }),
      flag("secondary-only", "Only secondary instances", { short: "s" }),
      ...submitting,
    ],
    examples: {
      "gnt-node evacuate -f node3": "all instances, to any nodes with room",
      "gnt-node evacuate -f -s --reason='rate-limit:2:moves' node3":
        "secondary instances only, two at a time",
      "gnt-node evacuate -n node5 node3": "secondary instances, to a given node",
    },
    load: async () => (await import("./moves.js")).evacuate,
  },
  failover: {
    summary:
      "Stops the primary instances on a node and start them on their secondary node (only for instances with drbd disk template)",
    usage: "[-f] <node>",
    arguments: one("node"),
    options: [force, ignoreConsistency, iallocator, priority],
    examples: { "gnt-node failover -f node3": "instances of a dead node" },
    load: async () => (await import("./moves.js")).failover,
  },
  migrate: {
    summary:
      "Migrate all the primary instance on a node away from it (only for instances of type drbd)",
    usage: "[-f] <node>",
    arguments: one("node"),
    options: [
      force,
      flag("non-live", "Freeze instances during the migration"),
      text("migration-mode", "MODE", "Migration mode, live or non-live", {
        choices: ["live", "non-live"],
      }),
      ...[targetNode, iallocator, priority, ignoreIpolicy],
      flag("no-runtime-changes", "Do not shrink the memory of instances to fit"),
      ...submitting,
    ],
    examples: { "gnt-node migrate -f node3": "move running instances without a stop" },
    load: async () => (await import("./moves.js")).migrate,
  },
};

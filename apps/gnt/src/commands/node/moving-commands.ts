/** Commands of gnt-node that move instances away. */

import type { Command } from "../../command.js";
import { earlyRelease, ignoreConsistency, targetNode } from "../../options/node.js";
import { force, iallocator, ignoreIpolicy, priority, submitting } from "../../options/shared.js";
import { one } from "../counted.js";

export const moving: readonly Command[] = [
  {
    name: "evacuate",
    summary: "Relocate the primary and/or secondary instances from a node",
    usage: "[-f] {-I <iallocator> | -n <dst>} [-p | -s] [options...] <node>",
    arguments: one("node"),
    options: [
      ...[force, iallocator],
      {
        name: "ignore-soft-errors",
        type: "flag",
        help: "Let the allocator overlook what is only inadvisable, such as N+1",
      },
      {
        name: "new-secondary",
        short: "n",
        type: "text",
        placeholder: "NODE",
        completes: "node",
        help: "The new secondary node of all of them",
      },
      ...[earlyRelease, priority],
      { name: "primary-only", short: "p", type: "flag", help: "Only those that run there" },
      {
        name: "secondary-only",
        short: "s",
        type: "flag",
        help: "Only those that are mirrored there",
      },
      ...submitting,
    ],
    examples: [
      { line: "gnt-node evacuate -f node3", does: "everything leaves, wherever there is room" },
      {
        line: "gnt-node evacuate -f -s --reason='rate-limit:2:moves' node3",
        does: "mirrors leave, two of them at a time",
      },
      { line: "gnt-node evacuate -n node5 node3", does: "mirrors go to a node of your choice" },
    ],
    load: () => import("./evacuate.js"),
  },
  {
    name: "failover",
    summary:
      "Stops the primary instances on a node and start them on their secondary node (only for instances with drbd disk template)",
    usage: "[-f] <node>",
    arguments: one("node"),
    options: [force, ignoreConsistency, iallocator, priority],
    examples: [{ line: "gnt-node failover -f node3", does: "after the node has died" }],
    load: () => import("./failover.js"),
  },
  {
    name: "migrate",
    summary:
      "Migrate all the primary instance on a node away from it (only for instances of type drbd)",
    usage: "[-f] <node>",
    arguments: one("node"),
    options: [
      force,
      { name: "non-live", type: "flag", help: "Instances stand still meanwhile" },
      {
        name: "migration-mode",
        type: "text",
        placeholder: "MODE",
        choices: ["live", "non-live"],
        help: "live, or non-live: as above",
      },
      ...[targetNode, iallocator, priority, ignoreIpolicy],
      { name: "no-runtime-changes", type: "flag", help: "Do not shrink memory to make it fit" },
      ...submitting,
    ],
    examples: [{ line: "gnt-node migrate -f node3", does: "instances run on, elsewhere" }],
    load: () => import("./migrate.js"),
  },
];

/** Commands of gnt-cluster that create and destroy a cluster, and move its master. */

import type { Command } from "../../command.js";
import { clusterValues, newClusterPlace, newClusterValues } from "../../options/cluster.js";
import { clusterPolicy, splitPolicy } from "../../options/policy.js";
import { dryRun, force } from "../../options/shared.js";
import { one } from "../counted.js";

export const life: readonly Command[] = [
  {
    name: "init",
    summary: "Initialises a new cluster configuration",
    usage: "[<opts>...] <cluster-name>",
    arguments: one("host"),
    options: [
      ...[...newClusterPlace, ...clusterValues, ...newClusterValues],
      ...[...clusterPolicy, ...splitPolicy],
    ],
    examples: [
      {
        line: "gnt-cluster init --simulated demo.example.com",
        does: "a cluster of one simulated node, served from the data directory",
      },
      {
        line: "gnt-cluster init --simulated --nodes=4 --enabled-disk-templates=drbd,plain demo.example.com",
        does: "of four, with mirrored disks",
      },
      {
        line: "gnt-cluster init --simulated --no-start -B maxmem=1g,vcpus=2 demo.example.com",
        does: "start it later: ganeti-rapi",
      },
    ],
    load: () => import("./init.js"),
  },
  {
    name: "destroy",
    summary: "Destroy cluster",
    usage: "",
    arguments: [],
    options: [
      {
        name: "yes-do-it",
        aliases: ["ya-rly"],
        type: "flag",
        help: "Yes, destroy it, and everything that its server keeps",
      },
    ],
    examples: [
      { line: "gnt-cluster destroy --yes-do-it", does: "one without instances, of one node" },
    ],
    load: () => import("./destroy.js"),
  },
  {
    name: "rename",
    summary: "Renames the cluster",
    usage: "<new-name>",
    arguments: one("host"),
    options: [force, dryRun],
    examples: [{ line: "gnt-cluster rename -f prod.example.com", does: "its address changes too" }],
    load: () => import("./rename.js"),
  },
  {
    name: "upgrade",
    summary: "Upgrade (or downgrade) to a new Ganeti version",
    usage: "{--to VERSION | --resume}",
    arguments: [],
    options: [
      { name: "to", type: "text", placeholder: "VERSION", help: "To which it should be: 3.0" },
      { name: "resume", type: "flag", help: "Finish an upgrade; none is ever left unfinished" },
    ],
    examples: [
      {
        line: "gnt-cluster upgrade --to=3.0",
        does: "whether it is there; packages are upgraded by the package manager of each machine",
      },
    ],
    load: () => import("./upgrade.js"),
  },
];

export const mastery: readonly Command[] = [
  {
    name: "getmaster",
    summary: "Shows the cluster master",
    usage: "",
    arguments: [],
    options: [],
    examples: [{ line: "gnt-cluster getmaster", does: "the name of the master node" }],
    load: () => import("./getmaster.js"),
  },
  {
    name: "master-ping",
    summary: "Checks if the master is alive",
    usage: "",
    arguments: [],
    options: [],
    examples: [
      { line: "gnt-cluster master-ping && echo alive", does: "prints nothing itself: exit code 0" },
    ],
    load: () => import("./master-ping.js"),
  },
  {
    name: "master-failover",
    aliases: ["masterfailover"],
    summary: "Makes the current node the master",
    usage: "[<node-name>]",
    arguments: [{ kind: "node", min: 0, max: 1 }],
    options: [
      { name: "no-voting", type: "flag", help: "Do not ask the other nodes: dangerous" },
      {
        name: "yes-do-it",
        aliases: ["force-failover"],
        type: "flag",
        help: "With --no-voting: do not ask",
      },
      {
        name: "ignore-offline-nodes",
        type: "yes-no",
        help: "Nodes that are offline have no vote",
      },
    ],
    examples: [
      {
        line: "gnt-cluster master-failover node2",
        does: "that node is the master from now on; without a name, the node where this is run",
      },
    ],
    load: () => import("./master-failover.js"),
  },
  {
    name: "activate-master-ip",
    summary: "Activates the master IP",
    usage: "",
    arguments: [],
    options: [],
    examples: [{ line: "gnt-cluster activate-master-ip", does: "the master takes the address" }],
    load: () => import("./activate-master-ip.js"),
  },
  {
    name: "deactivate-master-ip",
    summary: "Deactivates the master IP",
    usage: "",
    arguments: [],
    options: [{ name: "yes", type: "flag", help: "Do not ask for confirmation" }],
    examples: [
      { line: "gnt-cluster deactivate-master-ip --yes", does: "before a script takes it over" },
    ],
    load: () => import("./deactivate-master-ip.js"),
  },
];

/** Commands of gnt-cluster that create and destroy a cluster, and move its master. */
import { type Command, one } from "../../command.js";
import { clusterValues, newClusterPlace, newClusterValues } from "../../options/cluster.js";
import { flag, text } from "../../options/kinds.js";
import { clusterPolicy, splitPolicy } from "../../options/policy.js";
import { dryRun, force } from "../../options/shared.js";
import { store } from "./server-store.js";

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
        does: "four simulated nodes, with mirrored disks",
      },
      {
        line: "gnt-cluster init --simulated --no-start -B maxmem=1g,vcpus=2 demo.example.com",
        does: "without a server, which ganeti-rapi starts later",
      },
    ],
    load: async () => (await import("./init.js")).run,
  },
  {
    name: "twin",
    summary: "Makes a cluster of simulated nodes like another cluster, to rehearse on",
    usage: "[<opts>...] [<file> | <url>]",
    arguments: [{ kind: "file", min: 0, max: 1 }],
    options: [
      {
        name: "figures",
        type: "text",
        placeholder: "FILE|URL",
        completes: "file",
        help: "Figures of the nodes for a config.data, which has none: a text file, or a remote API",
      },
      {
        name: "port",
        type: "integer",
        placeholder: "PORT",
        help: "Port of the twin's remote API (5080)",
      },
      text("address", "ADDRESS", "Address of the twin's remote API (127.0.0.1)"),
      flag("no-start", "Make the twin without starting its server"),
      flag(
        "shell",
        "Open a shell whose commands act on the twin, also Ganeti's own; without a file or URL on a twin that exists",
      ),
    ],
    examples: [
      {
        line: "gnt-cluster twin --data-dir=./twin --port=5090 --user=jack --insecure https://cluster.example.com:5080",
        does: "from the remote API of a running cluster, which is only read",
      },
      {
        line: "hbal -L -S now; gnt-cluster twin --data-dir=./twin now.original",
        does: "from a text file of hbal -S or hscan",
      },
      {
        line: "gnt-cluster twin --data-dir=./twin --figures=now.original config.data",
        does: "the whole configuration, with the figures of a text file",
      },
      {
        line: "gnt-cluster twin --data-dir=./twin --shell",
        does: "a shell on this twin",
      },
    ],
    load: async () => (await import("./twin.js")).run,
  },
  {
    name: "shadow",
    summary: "Looks at a running Ganeti, and reports where this server would answer differently",
    usage: "[<opts>...]",
    arguments: [],
    options: [
      text("original", "URL", "Remote API of the running Ganeti (https://localhost:5080)"),
      flag("once", "Compare once, and exit with 1 if answers differ"),
      {
        name: "interval",
        type: "integer",
        placeholder: "SECONDS",
        help: "Time between comparisons if nothing changes (30)",
      },
      {
        name: "port",
        type: "integer",
        placeholder: "PORT",
        help: "Port of the shadow's remote API (5090)",
      },
      text("address", "ADDRESS", "Address of the shadow's remote API (127.0.0.1)"),
    ],
    examples: [
      {
        line: "gnt-cluster shadow --data-dir=./shadow --insecure",
        does: "on the master, beside Ganeti's daemons; Ctrl-C ends it",
      },
      {
        line: "gnt-cluster shadow --data-dir=./shadow --insecure --once --json",
        does: "compares once, for scripts",
      },
    ],
    load: async () => (await import("./shadow.js")).run,
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
        help: "Confirm the destruction, including all data of the server",
      },
    ],
    examples: [
      {
        line: "gnt-cluster destroy --yes-do-it",
        does: "a cluster without instances, with one node",
      },
    ],
    load: async () => (await import("./destroy.js")).run,
  },
  {
    name: "rename",
    summary: "Renames the cluster",
    usage: "<new-name>",
    arguments: one("host"),
    options: [force, dryRun],
    examples: [
      { line: "gnt-cluster rename -f prod.example.com", does: "changes its address as well" },
    ],
    load: async () => (await import("./changes.js")).rename,
  },
  {
    name: "upgrade",
    summary: "Upgrade (or downgrade) to a new Ganeti version",
    usage: "{--to VERSION | --resume}",
    arguments: [],
    options: [
      text("to", "VERSION", "Target version, e.g. 3.0"),
      flag("resume", "Finish an interrupted upgrade; there never is one"),
    ],
    examples: [
      {
        line: "gnt-cluster upgrade --to=3.0",
        does: "checks the version; packages are upgraded by the package manager of each machine",
      },
    ],
    load: async () => (await import("./upgrade.js")).run,
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
    load: async () => (await import("./master.js")).getmaster,
  },
  {
    name: "master-ping",
    summary: "Checks if the master is alive",
    usage: "",
    arguments: [],
    options: [],
    examples: [
      {
        line: "gnt-cluster master-ping && echo alive",
        does: "prints nothing; exit code 0 if the master answers",
      },
    ],
    load: async () => (await import("./master.js")).masterPing,
  },
  {
    name: "master-failover",
    aliases: ["masterfailover"],
    summary: "Makes the current node the master",
    usage: "[<node-name>]",
    arguments: [{ kind: "node", min: 0, max: 1 }],
    options: [
      flag("no-voting", "Skip the vote of the other nodes: dangerous"),
      {
        name: "yes-do-it",
        aliases: ["force-failover"],
        type: "flag",
        help: "With --no-voting: do not ask for confirmation",
      },
      {
        name: "ignore-offline-nodes",
        type: "yes-no",
        help: "Leave offline nodes out of the vote",
      },
      store,
    ],
    examples: [
      {
        line: "gnt-cluster master-failover node2",
        does: "makes that node the master; without a name, the node where this is run",
      },
    ],
    load: async () => (await import("./master-failover.js")).run,
  },
  {
    name: "activate-master-ip",
    summary: "Activates the master IP",
    usage: "",
    arguments: [],
    options: [],
    examples: [
      { line: "gnt-cluster activate-master-ip", does: "brings the address up on the master" },
    ],
    load: async () => (await import("./master.js")).activateMasterIp,
  },
  {
    name: "deactivate-master-ip",
    summary: "Deactivates the master IP",
    usage: "",
    arguments: [],
    options: [flag("yes", "Do not ask for confirmation")],
    examples: [
      {
        line: "gnt-cluster deactivate-master-ip --yes",
        does: "takes the address down, e.g. before a script takes over",
      },
    ],
    load: async () => (await import("./master.js")).deactivateMasterIp,
  },
];

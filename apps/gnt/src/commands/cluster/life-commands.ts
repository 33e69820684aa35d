/** Commands of gnt-cluster that create and destroy a cluster, and move its master. */
import { type Commands, one } from "../../command.js";
import { clusterValues, newClusterPlace, newClusterValues } from "../../options/cluster.js";
import { flag, integer, text, yesNo } from "../../options/kinds.js";
import { clusterPolicy, splitPolicy } from "../../options/policy.js";
import { dryRun, force } from "../../options/shared.js";
import { store } from "./server-store.js";

export const life: Commands = {
  init: {
    summary: "Initialises a new cluster configuration",
    usage: "[<opts>...] <cluster-name>",
    arguments: one("host"),
    options: [
      ...[...newClusterPlace, ...clusterValues, ...newClusterValues],
      ...[...clusterPolicy, ...splitPolicy],
    ],
    examples: {
      "gnt-cluster init --simulated demo.example.com":
        "a cluster of one simulated node, served from the data directory",
      "gnt-cluster init --simulated --nodes=4 --enabled-disk-templates=drbd,plain demo.example.com":
        "four simulated nodes, with mirrored disks",
      "gnt-cluster init --simulated --no-start -B maxmem=1g,vcpus=2 demo.example.com":
        "without a server, which ganeti-rapi starts later",
    },
    load: async () => (await import("./init.js")).run,
  },
  twin: {
    summary: "Makes a cluster of simulated nodes like another cluster, to rehearse on",
    usage: "[<opts>...] [<file> | <url>]",
    arguments: [{ kind: "file", min: 0, max: 1 }],
    options: [
      text(
        "figures",
        "FILE|URL",
        "Figures of the nodes for a config.data, which has none: a text file, or a remote API",
        { completes: "file" },
      ),
      integer("port", "Port of the twin's remote API (5080)", { placeholder: "PORT" }),
      text("address", "ADDRESS", "Address of the twin's remote API (127.0.0.1)"),
      flag("no-start", "Make the twin without starting its server"),
      flag(
        "shell",
        "Open a shell whose commands act on the twin, also Ganeti's own; without a file or URL on a twin that exists",
      ),
    ],
    examples: {
      "gnt-cluster twin --data-dir=./twin --port=5090 --user=jack --insecure https://cluster.example.com:5080":
        "from the remote API of a running cluster, which is only read",
      "hbal -L -S now; gnt-cluster twin --data-dir=./twin now.original":
        "from a text file of hbal -S or hscan",
      "gnt-cluster twin --data-dir=./twin --figures=now.original config.data":
        "the whole configuration, with the figures of a text file",
      "gnt-cluster twin --data-dir=./twin --shell": "a shell on this twin",
    },
    load: async () => (await import("./twin.js")).run,
  },
  shadow: {
    summary: "Looks at a running Ganeti, and reports where this server would answer differently",
    usage: "[<opts>...]",
    options: [
      text("original", "URL", "Remote API of the running Ganeti (https://localhost:5080)"),
      flag("once", "Compare once, and exit with 1 if answers differ"),
      integer("interval", "Time between comparisons if nothing changes (30)", {
        placeholder: "SECONDS",
      }),
      integer("port", "Port of the shadow's remote API (5090)", { placeholder: "PORT" }),
      text("address", "ADDRESS", "Address of the shadow's remote API (127.0.0.1)"),
    ],
    examples: {
      "gnt-cluster shadow --data-dir=./shadow --insecure":
        "on the master, beside Ganeti's daemons; Ctrl-C ends it",
      "gnt-cluster shadow --data-dir=./shadow --insecure --once --json":
        "compares once, for scripts",
    },
    load: async () => (await import("./shadow.js")).run,
  },
  destroy: {
    summary: "Destroy cluster",
    options: [
      flag("yes-do-it", "Confirm the destruction, including all data of the server", {
        aliases: ["ya-rly"],
      }),
    ],
    examples: { "gnt-cluster destroy --yes-do-it": "a cluster without instances, with one node" },
    load: async () => (await import("./destroy.js")).run,
  },
  rename: {
    summary: "Renames the cluster",
    usage: "<new-name>",
    arguments: one("host"),
    options: [force, dryRun],
    examples: { "gnt-cluster rename -f prod.example.com": "changes its address as well" },
    load: async () => (await import("./changes.js")).rename,
  },
  upgrade: {
    summary: "Upgrade (or downgrade) to a new Ganeti version",
    usage: "{--to VERSION | --resume}",
    options: [
      text("to", "VERSION", "Target version, e.g. 3.0"),
      flag("resume", "Finish an interrupted upgrade; there never is one"),
    ],
    examples: {
      "gnt-cluster upgrade --to=3.0":
        "checks the version; packages are upgraded by the package manager of each machine",
    },
    load: async () => (await import("./upgrade.js")).run,
  },
};

export const mastery: Commands = {
  getmaster: {
    summary: "Shows the cluster master",
    examples: { "gnt-cluster getmaster": "the name of the master node" },
    load: async () => (await import("./master.js")).getmaster,
  },
  "master-ping": {
    summary: "Checks if the master is alive",
    examples: {
      "gnt-cluster master-ping && echo alive": "prints nothing; exit code 0 if the master answers",
    },
    load: async () => (await import("./master.js")).masterPing,
  },
  "master-failover": {
    aliases: ["masterfailover"],
    summary: "Makes the current node the master",
    usage: "[<node-name>]",
    arguments: [{ kind: "node", min: 0, max: 1 }],
    options: [
      flag("no-voting", "Skip the vote of the other nodes: dangerous"),
      flag("yes-do-it", "With --no-voting: do not ask for confirmation", {
        aliases: ["force-failover"],
      }),
      yesNo("ignore-offline-nodes", "Leave offline nodes out of the vote"),
      store,
    ],
    examples: {
      "gnt-cluster master-failover node2":
        "makes that node the master; without a name, the node where this is run",
    },
    load: async () => (await import("./master-failover.js")).run,
  },
  "activate-master-ip": {
    summary: "Activates the master IP",
    examples: { "gnt-cluster activate-master-ip": "brings the address up on the master" },
    load: async () => (await import("./master.js")).activateMasterIp,
  },
  "deactivate-master-ip": {
    summary: "Deactivates the master IP",
    options: [flag("yes", "Do not ask for confirmation")],
    examples: {
      "gnt-cluster deactivate-master-ip --yes":
        "takes the address down, e.g. before a script takes over",
    },
    load: async () => (await import("./master.js")).deactivateMasterIp,
  },
};

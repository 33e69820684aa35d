/** Commands of gnt-cluster that change it, or run something on its nodes. */
import { anyNumber, atLeastOne, type Commands, type Option, one } from "../../command.js";
import { changedClusterValues, clusterValues } from "../../options/cluster.js";
import { flag, integer, text } from "../../options/kinds.js";
import { oobTimeout, powerDelay, showMachineNames } from "../../options/node.js";
import { clusterPolicy } from "../../options/policy.js";
import {
  dryRun,
  force,
  nodeGroup,
  priority,
  shutdownTimeout,
  submitting,
  verbose,
} from "../../options/shared.js";

const nodes = text("node", "NODE", "Only on this node; repeatable", {
  short: "n",
  repeatable: true,
  completes: "node",
});

export const settings: Commands = {
  modify: {
    summary: "Alters the parameters of the cluster",
    usage: "[<opts>...]",
    options: [
      ...[force, ...clusterValues, ...changedClusterValues, dryRun, priority, ...submitting],
      ...clusterPolicy,
    ],
    examples: {
      "gnt-cluster modify -C 5": "five master candidates",
      "gnt-cluster modify -B maxmem=1g,minmem=512m": "defaults for instances",
      "gnt-cluster modify --max-running-jobs=40": "more jobs at the same time",
    },
    load: async () => (await import("./changes.js")).modify,
  },
  "redist-conf": {
    summary: "Forces a push of the configuration file and ssconf files to the nodes in the cluster",
    options: [
      ...[...submitting, dryRun, priority],
      flag("yes-do-it", "Submit the job even if the queue is drained"),
    ],
    examples: { "gnt-cluster redist-conf": "after nodes were unreachable" },
    load: async () => (await import("./changes.js")).redistConf,
  },
  queue: {
    summary: "Change queue properties",
    usage: "drain|undrain|info",
    arguments: [{ kind: "text", min: 1, max: 1, choices: ["drain", "undrain", "info"] }],
    examples: {
      "gnt-cluster queue drain": "refuse new jobs; existing ones continue",
      "gnt-cluster queue info": "show whether the queue is drained",
    },
    load: async () => (await import("./changes.js")).queue,
  },
  watcher: {
    summary: "Change watcher properties",
    usage: "{pause <timespec>|continue|info}",
    arguments: [
      { kind: "text", min: 1, max: 1, choices: ["pause", "continue", "info"] },
      { kind: "text", min: 0, max: 1, choices: ["30m", "1h", "4h"] },
    ],
    examples: {
      "gnt-cluster watcher pause 2h": "suspend automatic restarts",
      "gnt-cluster watcher continue": "end the pause early",
    },
    load: async () => (await import("./watcher.js")).run,
  },
  user: {
    summary: "Manage users of the remote API of this machine's server",
    usage: "{list|add <name>|passwd <name>|remove <name>}",
    arguments: [
      { kind: "text", min: 1, max: 1, choices: ["add", "list", "passwd", "remove"] },
      { kind: "text", min: 0, max: 1 },
    ],
    options: [
      text(
        "rights",
        "RIGHTS",
        "Rights: read for queries (default), write for jobs, full for any opcodes and commands on nodes",
        { choices: ["read", "write", "full"] },
      ),
      text(
        "new-password-file",
        "FILE",
        "File with the password in its first line; - is standard input. Default: generate and show one",
        { completes: "file" },
      ),
    ],
    examples: {
      "gnt-cluster user add --rights=write jack": "adds jack and shows the generated password once",
      "gnt-cluster user passwd jack --rights=read": "removes the right to write",
      "gnt-cluster user list": "lists names and rights",
    },
    load: async () => (await import("./user.js")).run,
  },
  "renew-crypto": {
    summary: "Renews cluster certificates, keys and secrets",
    usage: "[<opts>...]",
    options: [
      flag("new-cluster-certificate", "Renew the cluster certificate and those of all nodes"),
      flag("new-rapi-certificate", "Refused: managed by the server"),
      file("rapi-certificate", "Refused: ganeti-rapi --ssl-key=… --ssl-cert=…"),
      flag("new-confd-hmac-key", "A new key for configuration queries"),
      force,
      flag("new-cluster-domain-secret", "Refused: a file of the master"),
      file("cluster-domain-secret", "Refused as well"),
      flag("new-spice-certificate", "Refused: there is no SPICE yet"),
      file("spice-certificate", "Refused as well"),
      file("spice-ca-certificate", "Refused as well"),
      flag("new-node-certificates", "Renew the certificates of all nodes"),
      flag("new-ssh-keys", "Renew the SSH keys of all nodes"),
      flag("no-ssh-key-check", "Do not check the hosts' SSH keys"),
      verbose,
      integer("ssh-key-bits", "Length of new SSH keys in bits"),
      text("ssh-key-type", "rsa|dsa|ecdsa", "Type of new SSH keys", {
        choices: ["rsa", "dsa", "ecdsa"],
      }),
    ],
    examples: {
      "gnt-cluster renew-crypto --new-node-certificates": "renews all nodes in one job",
      "gnt-cluster renew-crypto --new-confd-hmac-key":
        "renews the key, which clients of confd need in hmac.key",
    },
    load: async () => (await import("./renew-crypto.js")).run,
  },
};

function file(name: string, help: string): Option {
  return text(name, "FILE", help, { completes: "file" });
}

export const onNodes: Commands = {
  copyfile: {
    summary: "Copies a file to all (or only some) nodes",
    usage: "[-n <node-name>...] <filename>",
    arguments: one("file"),
    options: [
      nodes,
      flag("use-replication-network", "No effect: the server chooses the network to its nodes"),
      nodeGroup,
    ],
    examples: {
      "gnt-cluster copyfile /etc/ntp.conf": "to the same path on all nodes",
      "gnt-cluster copyfile -n node2 /etc/ntp.conf": "to one node",
    },
    load: async () => (await import("./copyfile.js")).run,
  },
  command: {
    summary: "Runs a command on all (or only some) nodes",
    usage: "[-n <node-name>...] <command>",
    arguments: atLeastOne("command"),
    foreignWords: true,
    options: [
      ...[nodes, nodeGroup, showMachineNames],
      flag("failure-only", "Show only nodes where the command failed"),
    ],
    examples: {
      "gnt-cluster command uptime": "on one node after the other, the master last",
      "gnt-cluster command -M -g rack2 cat /etc/issue": "on the nodes of a group",
    },
    load: async () => (await import("./command.js")).run,
  },
  epo: {
    summary: "Performs an emergency power-off on given args",
    usage: "[<opts>...] [args]",
    arguments: anyNumber("node"),
    options: [
      force,
      flag("on", "Switch nodes on and start instances again"),
      flag("groups", "The arguments are node groups"),
      flag("all", "Apply to the whole cluster"),
      ...[oobTimeout, shutdownTimeout, powerDelay],
    ],
    examples: {
      "gnt-cluster epo --groups rack2": "stop instances, then switch nodes off",
      "gnt-cluster epo --on --groups rack2": "switch nodes on again",
    },
    load: async () => (await import("./epo.js")).run,
  },
};

/** Commands of gnt-cluster that change it, or run something on its nodes. */
import {
  type Argument,
  anyNumber,
  atLeastOne,
  type Command,
  type Option,
  one,
} from "../../command.js";
import { changedClusterValues, clusterValues } from "../../options/cluster.js";
import { flag, integer } from "../../options/kinds.js";
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

const nothing: readonly Argument[] = [];

const nodes: Option = {
  name: "node",
  short: "n",
  type: "text",
  repeatable: true,
  placeholder: "NODE",
  completes: "node",
  help: "Only on this node; repeatable",
};

export const settings: readonly Command[] = [
  {
    name: "modify",
    summary: "Alters the parameters of the cluster",
    usage: "[<opts>...]",
    arguments: nothing,
    options: [
      ...[force, ...clusterValues, ...changedClusterValues, dryRun, priority, ...submitting],
      ...clusterPolicy,
    ],
    examples: [
      { line: "gnt-cluster modify -C 5", does: "five master candidates" },
      { line: "gnt-cluster modify -B maxmem=1g,minmem=512m", does: "defaults for instances" },
      { line: "gnt-cluster modify --max-running-jobs=40", does: "more jobs at the same time" },
    ],
    load: async () => (await import("./changes.js")).modify,
  },
  {
    name: "redist-conf",
    summary: "Forces a push of the configuration file and ssconf files to the nodes in the cluster",
    usage: "",
    arguments: nothing,
    options: [
      ...[...submitting, dryRun, priority],
      flag("yes-do-it", "Submit the job even if the queue is drained"),
    ],
    examples: [{ line: "gnt-cluster redist-conf", does: "after nodes were unreachable" }],
    load: async () => (await import("./changes.js")).redistConf,
  },
  {
    name: "queue",
    summary: "Change queue properties",
    usage: "drain|undrain|info",
    arguments: [{ kind: "text", min: 1, max: 1, choices: ["drain", "undrain", "info"] }],
    options: [],
    examples: [
      { line: "gnt-cluster queue drain", does: "refuse new jobs; existing ones continue" },
      { line: "gnt-cluster queue info", does: "show whether the queue is drained" },
    ],
    load: async () => (await import("./changes.js")).queue,
  },
  {
    name: "watcher",
    summary: "Change watcher properties",
    usage: "{pause <timespec>|continue|info}",
    arguments: [
      { kind: "text", min: 1, max: 1, choices: ["pause", "continue", "info"] },
      { kind: "text", min: 0, max: 1, choices: ["30m", "1h", "4h"] },
    ],
    options: [],
    examples: [
      { line: "gnt-cluster watcher pause 2h", does: "suspend automatic restarts" },
      { line: "gnt-cluster watcher continue", does: "end the pause early" },
    ],
    load: async () => (await import("./watcher.js")).run,
  },
  {
    name: "user",
    summary: "Manage users of the remote API of this machine's server",
    usage: "{list|add <name>|passwd <name>|remove <name>}",
    arguments: [
      { kind: "text", min: 1, max: 1, choices: ["add", "list", "passwd", "remove"] },
      { kind: "text", min: 0, max: 1 },
    ],
    options: [
      {
        name: "rights",
        type: "text",
        placeholder: "RIGHTS",
        choices: ["read", "write", "full"],
        help: "Rights: read for queries (default), write for jobs, full for any opcodes and commands on nodes",
      },
      {
        name: "new-password-file",
        type: "text",
        placeholder: "FILE",
        completes: "file",
        help: "File with the password in its first line; - is standard input. Default: generate and show one",
      },
    ],
    examples: [
      {
        line: "gnt-cluster user add --rights=write jack",
        does: "adds jack and shows the generated password once",
      },
      { line: "gnt-cluster user passwd jack --rights=read", does: "removes the right to write" },
      { line: "gnt-cluster user list", does: "lists names and rights" },
    ],
    load: async () => (await import("./user.js")).run,
  },
  {
    name: "renew-crypto",
    summary: "Renews cluster certificates, keys and secrets",
    usage: "[<opts>...]",
    arguments: nothing,
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
      {
        name: "ssh-key-type",
        type: "text",
        placeholder: "rsa|dsa|ecdsa",
        choices: ["rsa", "dsa", "ecdsa"],
        help: "Type of new SSH keys",
      },
    ],
    examples: [
      {
        line: "gnt-cluster renew-crypto --new-node-certificates",
        does: "renews all nodes in one job",
      },
      {
        line: "gnt-cluster renew-crypto --new-confd-hmac-key",
        does: "renews the key, which clients of confd need in hmac.key",
      },
    ],
    load: async () => (await import("./renew-crypto.js")).run,
  },
];

function file(name: string, help: string): Option {
  return { name, type: "text", placeholder: "FILE", completes: "file", help };
}

export const onNodes: readonly Command[] = [
  {
    name: "copyfile",
    summary: "Copies a file to all (or only some) nodes",
    usage: "[-n <node-name>...] <filename>",
    arguments: one("file"),
    options: [
      nodes,
      flag("use-replication-network", "No effect: the server chooses the network to its nodes"),
      nodeGroup,
    ],
    examples: [
      {
        line: "gnt-cluster copyfile /etc/ntp.conf",
        does: "to the same path on all nodes",
      },
      { line: "gnt-cluster copyfile -n node2 /etc/ntp.conf", does: "to one node" },
    ],
    load: async () => (await import("./copyfile.js")).run,
  },
  {
    name: "command",
    summary: "Runs a command on all (or only some) nodes",
    usage: "[-n <node-name>...] <command>",
    arguments: atLeastOne("command"),
    foreignWords: true,
    options: [
      ...[nodes, nodeGroup, showMachineNames],
      flag("failure-only", "Show only nodes where the command failed"),
    ],
    examples: [
      { line: "gnt-cluster command uptime", does: "on one node after the other, the master last" },
      { line: "gnt-cluster command -M -g rack2 cat /etc/issue", does: "on the nodes of a group" },
    ],
    load: async () => (await import("./command.js")).run,
  },
  {
    name: "epo",
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
    examples: [
      { line: "gnt-cluster epo --groups rack2", does: "stop instances, then switch nodes off" },
      { line: "gnt-cluster epo --on --groups rack2", does: "switch nodes on again" },
    ],
    load: async () => (await import("./epo.js")).run,
  },
];

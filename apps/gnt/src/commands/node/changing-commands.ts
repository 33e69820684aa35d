/** Commands of gnt-node that change nodes. */
import { type Argument, anyNumber, type Commands, one } from "../../command.js";
import { flag, text, yesNo } from "../../options/kinds.js";
import {
  autoPromote,
  ignoreConsistency,
  masterCapable,
  nodePowered,
  oobTimeout,
  powerDelay,
  roles,
  secondaryIp,
  showMachineNames,
  vmCapable,
} from "../../options/node.js";
import { nodeParameters, states } from "../../options/parameters.js";
import {
  confirm,
  dryRun,
  force,
  headers,
  nodeGroup,
  priority,
  submitting,
  verbose,
} from "../../options/shared.js";

const volumeOf = (choices: readonly string[]): readonly Argument[] => [
  ...one("node"),
  { kind: "text", min: 1, max: 1, choices },
  ...one("file"),
];

export const changing: Commands = {
  add: {
    summary: "Add a node to the cluster",
    usage:
      "[-s ip] [--readd] [--no-ssh-key-check] [--force-join] [--no-node-setup] [--verbose] [--network] <node-name>",
    arguments: one("host"),
    options: [
      secondaryIp,
      text("primary-ip", "ADDRESS", "Address of the node, if its name does not resolve"),
      flag("readd", "Readd a former node of the cluster"),
      flag("no-ssh-key-check", "Accept an unknown SSH key of the host"),
      flag("force-join", "No effect; for compatibility with older scripts"),
      flag("no-node-setup", "The machine has its node daemon already: do not copy it"),
      ...[verbose, nodeGroup, priority, masterCapable, vmCapable, nodeParameters, ...states],
    ],
    examples: {
      "gnt-node add node4.example.com": "a node whose name resolves",
      "gnt-node add --primary-ip=192.0.2.4 -g rack2 node4.example.com":
        "a node whose name does not resolve, into a group",
      "gnt-node add --readd node4.example.com": "a node that comes back after a repair",
    },
    load: async () => (await import("./add.js")).run,
  },
  remove: {
    summary: "Removes a node from the cluster",
    usage: "<node-name>",
    arguments: one("node"),
    options: [dryRun, priority],
    examples: { "gnt-node remove node4": "a node without instances" },
    load: async () => (await import("./changes.js")).remove,
  },
  rename: {
    summary: "Renames a node; its UUID, address and instances stay",
    usage: "[--dry-run] <old-name> <new-name>",
    arguments: [...one("node"), ...one("host")],
    options: [dryRun, ...submitting, priority],
    examples: { "gnt-node rename node4 spare1.example.com": "the UUID stays" },
    load: async () => (await import("./changes.js")).rename,
  },
  modify: {
    summary: "Alters the parameters of a node",
    usage: "<node-name>",
    arguments: one("node"),
    options: [
      ...[force, ...submitting, ...roles, secondaryIp, autoPromote, dryRun, priority],
      ...[nodeParameters, nodePowered, ...states],
    ],
    examples: {
      "gnt-node modify --drained=yes node3": "keep new instances off the node",
      "gnt-node modify --offline=yes --auto-promote node3": "mark a dead node",
      "gnt-node modify -C yes node4": "make the node a master candidate",
    },
    load: async () => (await import("./changes.js")).modify,
  },
  powercycle: {
    summary: "Tries to forcefully powercycle a node",
    usage: "<node-name>",
    arguments: one("node"),
    options: [force, confirm, dryRun, priority, ...submitting],
    examples: { "gnt-node powercycle --yes node3": "immediate, without a shutdown" },
    load: async () => (await import("./changes.js")).powercycle,
  },
  power: {
    summary: "Change power state of node by calling out-of-band helper.",
    usage: "on|off|cycle|status [<node-name>...]",
    arguments: [
      { kind: "text", min: 1, max: 1, choices: ["on", "off", "cycle", "status"] },
      ...anyNumber("node"),
    ],
    options: [
      ...[...submitting, autoPromote, priority],
      flag("ignore-status", "Switch off nodes that are not marked offline: dangerous"),
      ...[force, ...headers, oobTimeout, powerDelay],
    ],
    examples: {
      "gnt-node power status": "the power state of all nodes",
      "gnt-node power off node3": "mark the node offline, then switch it off",
    },
    load: async () => (await import("./power.js")).power,
  },
  "modify-storage": {
    summary: "Modify storage volume on a node",
    usage: "<node-name> <storage-type> <volume-name>",
    arguments: volumeOf(["lvm-pv"]),
    options: [
      yesNo("allocatable", "Whether it takes new volumes"),
      ...[dryRun, priority, ...submitting],
    ],
    examples: {
      "gnt-node modify-storage --allocatable=no node3 lvm-pv /dev/sdb1":
        "before the disk is removed",
    },
    load: async () => (await import("./storage.js")).modifyStorage,
  },
  "repair-storage": {
    summary: "Repairs a storage volume on a node",
    usage: "<node-name> <storage-type> <volume-name>",
    arguments: volumeOf(["lvm-vg"]),
    options: [ignoreConsistency, dryRun, priority, ...submitting],
    examples: { "gnt-node repair-storage node3 lvm-vg xenvg": "after a disk was replaced" },
    load: async () => (await import("./storage.js")).repairStorage,
  },
  "restricted-command": {
    summary: "Executes a restricted command on node(s)",
    usage: "<command> <node-name>...",
    arguments: [...one("text"), ...anyNumber("node")],
    options: [
      flag("sync", "Acquire the locks of the nodes"),
      ...[priority, ...submitting, showMachineNames, nodeGroup],
    ],
    examples: {
      "gnt-node restricted-command -M uptime node2 node3": "output of the command on each node",
    },
    load: async () => (await import("./restricted-command.js")).run,
  },
};

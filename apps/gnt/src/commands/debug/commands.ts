/** The commands of gnt-debug. */
import { type Command, type Option, one } from "../../command.js";
import { diskTemplateOption } from "../../options/instance.js";
import { flag, text } from "../../options/kinds.js";
import {
  dryRun,
  headers,
  iallocator,
  output,
  priority,
  submitting,
  verbose,
} from "../../options/shared.js";
import { simulatedFailures } from "./simulated-failures.js";

const integer = (name: string, help: string, short?: string): Option => ({
  name,
  type: "integer",
  placeholder: "N",
  help,
  ...(short === undefined ? {} : { short }),
});

const endless = Number.POSITIVE_INFINITY;

export const debugCommands: readonly Command[] = [
  {
    name: "delay",
    summary: "Executes a TestDelay OpCode",
    usage: "[<opts>...] <duration>",
    arguments: one("text"),
    options: [
      flag("no-master", "Do not sleep in the master code"),
      {
        name: "nodes",
        short: "n",
        type: "text",
        repeatable: true,
        completes: "node",
        placeholder: "NODE",
        help: "Sleep on this node; repeatable",
      },
      integer("repeat", "Sleep so many times in a row", "r"),
      { name: "no-locks", short: "l", type: "flag", help: "Acquire no locks" },
      {
        name: "interruptible",
        short: "i",
        type: "flag",
        help: "Listen on a socket, and end at the first connection",
      },
      ...submitting,
      dryRun,
      priority,
    ],
    examples: [
      { line: "gnt-debug delay 5", does: "a job of five seconds" },
      {
        line: "gnt-debug delay --submit -n node2.example.com 60",
        does: "a job that keeps a node busy",
      },
    ],
    load: async () => (await import("./test-jobs.js")).delay,
  },
  {
    name: "submit-job",
    summary: "Submits jobs built from json files containing a list of serialized opcodes",
    usage: "<op-list-file>...",
    arguments: [{ kind: "file", min: 1, max: endless }],
    options: [
      verbose,
      integer("op-repeat", "Each list of opcodes so many times in its job; default 1"),
      integer("job-repeat", "Each job so many times; default 1"),
      flag("timing-stats", "Print the duration of submission and execution"),
      flag("each", "Submit jobs one by one, not all at once"),
      dryRun,
      priority,
    ],
    examples: [
      {
        line: "gnt-debug submit-job ops.json",
        does: '[{"OP_ID": "OP_TEST_DELAY", "duration": 1}]',
      },
      {
        line: "gnt-debug submit-job --job-repeat=100 --timing-stats ops.json",
        does: "measure jobs per second",
      },
    ],
    load: async () => (await import("./submit-job.js")).run,
  },
  {
    name: "iallocator",
    aliases: ["allocator"],
    summary: "Executes a TestAllocator OpCode",
    usage: "{<opts>...} [<instance-name>...]",
    arguments: [{ kind: "instance", min: 0, max: endless }],
    options: [
      {
        name: "dir",
        type: "text",
        choices: ["in", "out"],
        placeholder: "in|out",
        help: "Show the request to the allocator (in, default) or its answer (out)",
      },
      iallocator,
      {
        name: "mode",
        short: "m",
        type: "text",
        choices: [
          ...["allocate", "allocate-secondary", "change-group"],
          ...["multi-allocate", "node-evacuate", "relocate", "balance", "capacity"],
        ],
        help: "Type of the request; default relocate; balance and capacity need our hail",
      },
      {
        name: "memory",
        type: "size",
        placeholder: "SIZE",
        help: "Memory of the instance; default 128",
      },
      text("disks", "SIZES", "Sizes of disks; default 4096,4096"),
      diskTemplateOption,
      text("nics", "NICS", "Network interfaces, each mac/ip/bridge; default 00:11:22:33:44:55"),
      {
        name: "os-type",
        short: "o",
        type: "text",
        placeholder: "<os>",
        completes: "os",
        help: "Operating system of the instance",
      },
      integer("vcpus", "Its virtual processors; default 1", "p"),
      text("tags", "TAGS", "Tags of the instance, separated by commas"),
      {
        name: "evac-mode",
        type: "text",
        placeholder: "MODE",
        choices: ["primary-only", "secondary-only", "all"],
        help: "Instances that leave the node; default all",
      },
      {
        name: "target-groups",
        type: "text",
        repeatable: true,
        completes: "group",
        placeholder: "GROUP",
        help: "Target group, or the group of balance and capacity; repeatable",
      },
      integer("spindle-use", "How many spindles it uses; default 1"),
      integer("count", "Number of instances of multi-allocate (default 2), or most of capacity"),
      dryRun,
      priority,
    ],
    examples: [
      {
        line: "gnt-debug iallocator -m allocate -t drbd -o debian --dir out -I hail web9.example.com",
        does: "the nodes that hail would choose",
      },
      {
        line: "gnt-debug iallocator -m balance --dir out -I hail --target-groups default",
        does: "moves that would balance the group default",
      },
    ],
    load: async () => (await import("./iallocator.js")).run,
  },
  {
    name: "test-jobqueue",
    summary: "Test a few aspects of the job queue",
    usage: "",
    arguments: [],
    options: [priority],
    examples: [
      { line: "gnt-debug test-jobqueue", does: "submission, dependencies, messages, failures" },
    ],
    load: async () => (await import("./test-jobqueue.js")).run,
  },
  {
    name: "test-osparams",
    summary: "Test secret os parameter transmission",
    usage: "[--os-parameters-secret <params>]",
    arguments: [],
    options: [
      {
        name: "os-parameters-secret",
        type: "key-values",
        placeholder: "K=V,...",
        help: "Secret parameters",
      },
      ...submitting,
    ],
    examples: [
      {
        line: "gnt-debug test-osparams --os-parameters-secret a=b",
        does: "the job shows a, never b",
      },
    ],
    load: async () => (await import("./test-jobs.js")).testOsParameters,
  },
  {
    name: "locks",
    summary: "Show a list of locks in the master daemon",
    usage: "[--interval N]",
    arguments: [],
    options: [
      ...headers,
      output,
      integer("interval", "Again and again, with so many seconds between"),
      verbose,
    ],
    examples: [
      { line: "gnt-debug locks --interval=2", does: "locks and their owners, until Ctrl-C" },
    ],
    load: async () => (await import("./locks.js")).run,
  },
  {
    name: "claims",
    summary: "Shows resources of nodes that jobs hold, and leftovers of ended jobs",
    usage: "",
    arguments: [],
    options: [...headers],
    examples: [
      {
        line: "gnt-debug claims",
        does: "resources of running jobs, and leftovers that the server still has to remove",
      },
    ],
    load: async () => (await import("./claims.js")).run,
  },
  {
    name: "simulate",
    summary: "Simulates a failure of a simulated node, and shows the resulting state",
    usage: "<node> [show|<failure> [<value>]]",
    arguments: [
      ...one("node"),
      {
        kind: "text",
        min: 0,
        max: 2,
        choices: ["show", ...simulatedFailures.map(({ name }) => name)],
      },
    ],
    options: [],
    examples: simulatedFailures.map(({ name, example, does }) => ({
      line: ["gnt-debug simulate node2.example.com", name, example].filter(Boolean).join(" "),
      does,
    })),
    load: async () => (await import("./simulate.js")).run,
  },
  {
    name: "wconfd",
    summary: "Directly talk to WConfD",
    usage: "<cmd> <args...>",
    arguments: [
      {
        kind: "text",
        min: 1,
        max: endless,
        choices: ["echo", "listlocks", "listalllocks", "listalllocksowners"],
      },
    ],
    options: [],
    examples: [{ line: "gnt-debug wconfd listalllocksowners", does: "every lock with its owners" }],
    load: async () => (await import("./daemons.js")).wconfd,
  },
  {
    name: "confd",
    summary: "Asks confd servers about the configuration",
    usage: "[<opts>...] <query> [<argument>...]",
    arguments: [
      {
        kind: "text",
        min: 1,
        max: endless,
        choices: [
          ...["ping", "node-role", "node-ip", "master", "node-ips", "candidate-ips"],
          ...["instance-ips", "node-drbd", "node-instances", "instance-disks", "config-value"],
          ...["collectors", "offline-nodes", "instances", "instance-nodes"],
        ],
      },
    ],
    options: [
      {
        name: "key",
        type: "text",
        placeholder: "FILE",
        completes: "file",
        help: "The key that signs queries; default hmac.key in the data directory",
      },
      {
        name: "address",
        short: "a",
        type: "text",
        repeatable: true,
        placeholder: "ADDRESS",
        completes: "host",
        help: "Ask the server at this IP address; repeatable, the newest answer wins",
      },
      flag("candidates", "Ask all master candidates that are online"),
      integer("port", "Port of the servers; default 1814, or that of this cluster's server", "p"),
      text("link", "LINK", "node-ip: link of the instance"),
      {
        name: "timeout",
        type: "number",
        placeholder: "SECONDS",
        help: "Wait for answers no longer than this; default 10",
      },
      verbose,
    ],
    examples: [
      { line: "gnt-debug confd node-role node2.example.com", does: "the role of a node" },
      { line: "gnt-debug confd master name cluster-ip", does: "two fields of the master" },
      {
        line: "gnt-debug confd --candidates -v instance-nodes web1.example.com",
        does: "the newest answer of all candidates, with its serial number",
      },
      {
        line: "gnt-debug confd --address=192.0.2.1 --key=/var/lib/ganeti/hmac.key ping",
        does: "whether Ganeti's own daemon answers",
      },
    ],
    load: async () => (await import("./confd.js")).run,
  },
  {
    name: "metad",
    summary: "Directly talk to Metad",
    usage: "<cmd> <args...>",
    arguments: [{ kind: "text", min: 1, max: endless, choices: ["echo"] }],
    options: [],
    examples: [{ line: "gnt-debug metad echo hello", does: "check that the server answers" }],
    load: async () => (await import("./daemons.js")).metad,
  },
];

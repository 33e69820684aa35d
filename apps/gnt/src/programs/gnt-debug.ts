/** gnt-debug: tests of the cluster's components. */
import { one, programOf } from "../command.js";
import { simulatedFailures } from "../commands/debug/simulated-failures.js";
import { diskTemplateOption } from "../options/instance.js";
import { flag, integer, keyValues, number, size, text } from "../options/kinds.js";
import {
  dryRun,
  headers,
  iallocator,
  output,
  priority,
  submitting,
  verbose,
} from "../options/shared.js";

const endless = Number.POSITIVE_INFINITY;

export const program = programOf("gnt-debug", "Debug commands", {
  delay: {
    summary: "Executes a TestDelay OpCode",
    usage: "[<opts>...] <duration>",
    arguments: one("text"),
    options: [
      flag("no-master", "Do not sleep in the master code"),
      text("nodes", "NODE", "Sleep on this node; repeatable", {
        short: "n",
        repeatable: true,
        completes: "node",
      }),
      integer("repeat", "Sleep so many times in a row", { short: "r" }),
      flag("no-locks", "Acquire no locks", { short: "l" }),
      flag("interruptible", "Listen on a socket, and end at the first connection", { short: "i" }),
      ...submitting,
      dryRun,
      priority,
    ],
    examples: {
      "gnt-debug delay 5": "a job of five seconds",
      "gnt-debug delay --submit -n node2.example.com 60": "a job that keeps a node busy",
    },
    load: async () => (await import("../commands/debug/test-jobs.js")).delay,
  },
  "submit-job": {
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
    examples: {
      "gnt-debug submit-job ops.json": '[{"OP_ID": "OP_TEST_DELAY", "duration": 1}]',
      "gnt-debug submit-job --job-repeat=100 --timing-stats ops.json": "measure jobs per second",
    },
    load: async () => (await import("../commands/debug/submit-job.js")).run,
  },
  iallocator: {
    aliases: ["allocator"],
    summary: "Executes a TestAllocator OpCode",
    usage: "{<opts>...} [<instance-name>...]",
    arguments: [{ kind: "instance", min: 0, max: endless }],
    options: [
      text("dir", "in|out", "Show the request to the allocator (in, default) or its answer (out)", {
        choices: ["in", "out"],
      }),
      iallocator,
      text(
        "mode",
        "MODE",
        "Type of the request; default relocate; balance and capacity need our hail",
        {
          short: "m",
          choices: [
            ...["allocate", "allocate-secondary", "change-group"],
            ...["multi-allocate", "node-evacuate", "relocate", "balance", "capacity"],
          ],
        },
      ),
      size("memory", "SIZE", "Memory of the instance; default 128"),
      text("disks", "SIZES", "Sizes of disks; default 4096,4096"),
      diskTemplateOption,
      text("nics", "NICS", "Network interfaces, each mac/ip/bridge; default 00:11:22:33:44:55"),
      text("os-type", "<os>", "Operating system of the instance", { short: "o", completes: "os" }),
      integer("vcpus", "Its virtual processors; default 1", { short: "p" }),
      text("tags", "TAGS", "Tags of the instance, separated by commas"),
      text("evac-mode", "MODE", "Instances that leave the node; default all", {
        choices: ["primary-only", "secondary-only", "all"],
      }),
      text(
        "target-groups",
        "GROUP",
        "Target group, or the group of balance and capacity; repeatable",
        { repeatable: true, completes: "group" },
      ),
      integer("spindle-use", "How many spindles it uses; default 1"),
      integer("count", "Number of instances of multi-allocate (default 2), or most of capacity"),
      dryRun,
      priority,
    ],
    examples: {
      "gnt-debug iallocator -m allocate -t drbd -o debian --dir out -I hail web9.example.com":
        "the nodes that hail would choose",
      "gnt-debug iallocator -m balance --dir out -I hail --target-groups default":
        "moves that would balance the group default",
    },
    load: async () => (await import("../commands/debug/iallocator.js")).run,
  },
  "test-jobqueue": {
    summary: "Test a few aspects of the job queue",
    options: [priority],
    examples: { "gnt-debug test-jobqueue": "submission, dependencies, messages, failures" },
    load: async () => (await import("../commands/debug/test-jobqueue.js")).run,
  },
  "test-osparams": {
    summary: "Test secret os parameter transmission",
    usage: "[--os-parameters-secret <params>]",
    options: [keyValues("os-parameters-secret", "K=V,...", "Secret parameters"), ...submitting],
    examples: { "gnt-debug test-osparams --os-parameters-secret a=b": "the job shows a, never b" },
    load: async () => (await import("../commands/debug/test-jobs.js")).testOsParameters,
  },
  locks: {
    summary: "Show a list of locks in the master daemon",
    usage: "[--interval N]",
    options: [
      ...headers,
      output,
      integer("interval", "Again and again, with so many seconds between"),
      verbose,
    ],
    examples: { "gnt-debug locks --interval=2": "locks and their owners, until Ctrl-C" },
    load: async () => (await import("../commands/debug/locks.js")).run,
  },
  claims: {
    summary: "Shows resources of nodes that jobs hold, and leftovers of ended jobs",
    options: [...headers],
    examples: {
      "gnt-debug claims":
        "resources of running jobs, and leftovers that the server still has to remove",
    },
    load: async () => (await import("../commands/debug/claims.js")).run,
  },
  simulate: {
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
    examples: Object.fromEntries(
      simulatedFailures.map(({ name, example, does }) => [
        ["gnt-debug simulate node2.example.com", name, example].filter(Boolean).join(" "),
        does,
      ]),
    ),
    load: async () => (await import("../commands/debug/simulate.js")).run,
  },
  wconfd: {
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
    examples: { "gnt-debug wconfd listalllocksowners": "every lock with its owners" },
    load: async () => (await import("../commands/debug/daemons.js")).wconfd,
  },
  confd: {
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
      text("key", "FILE", "The key that signs queries; default hmac.key in the data directory", {
        completes: "file",
      }),
      text(
        "address",
        "ADDRESS",
        "Ask the server at this IP address; repeatable, the newest answer wins",
        { short: "a", repeatable: true, completes: "host" },
      ),
      flag("candidates", "Ask all master candidates that are online"),
      integer("port", "Port of the servers; default 1814, or that of this cluster's server", {
        short: "p",
      }),
      text("link", "LINK", "node-ip: link of the instance"),
      number("timeout", "SECONDS", "Wait for answers no longer than this; default 10"),
      verbose,
    ],
    examples: {
      "gnt-debug confd node-role node2.example.com": "the role of a node",
      "gnt-debug confd master name cluster-ip": "two fields of the master",
      "gnt-debug confd --candidates -v instance-nodes web1.example.com":
        "the newest answer of all candidates, with its serial number",
      "gnt-debug confd --address=192.0.2.1 --key=/var/lib/ganeti/hmac.key ping":
        "whether Ganeti's own daemon answers",
    },
    load: async () => (await import("../commands/debug/confd.js")).run,
  },
  metad: {
    summary: "Directly talk to Metad",
    usage: "<cmd> <args...>",
    arguments: [{ kind: "text", min: 1, max: endless, choices: ["echo"] }],
    examples: { "gnt-debug metad echo hello": "check that the server answers" },
    load: async () => (await import("../commands/debug/daemons.js")).metad,
  },
});

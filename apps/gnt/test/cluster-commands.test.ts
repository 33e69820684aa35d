// Confirmations, exit codes and output of gnt-cluster, gnt-node and gnt-group, without a server.
import type { Json } from "@ganeti-ts/protocol";
import { describe, expect, test } from "vitest";
import type { OpcodeJson, QueryTable } from "../src/cluster.js";
import { epoPlan } from "../src/commands/cluster/epo-plan.js";
import { findings } from "../src/commands/cluster/verify-disks.js";
import { percentText } from "../src/commands/network/info-text.js";
import { drbdRows } from "../src/commands/node/list-drbd.js";
import { program as gntCluster } from "../src/programs/gnt-cluster.js";
import { program as gntGroup } from "../src/programs/gnt-group.js";
import { program as gntInstance } from "../src/programs/gnt-instance.js";
import { program as gntNode } from "../src/programs/gnt-node.js";
import { answering, type FakeCluster, type FakeJob, fakeCluster, tableOf } from "./fake-cluster.js";
import { runLine } from "./run-line.js";

const node1 = answering([{ name: "node1", pinst_list: ["web10", "web9"], sinst_list: ["db1"] }]);

/** A job that submits the `children`. */
const parent =
  (children: readonly FakeJob[]) =>
  (_: readonly OpcodeJson[], id: number): FakeJob =>
    id === 1 ? { results: [{ jobs: children.map((_child, at) => [true, at + 2]) }] } : {};

/** Like `parent`; the children exist beforehand, because the command does not submit them. */
function clusterOf(children: readonly FakeJob[], answers = {}) {
  const cluster = fakeCluster({ jobOf: parent(children), query: node1, ...answers });
  const ends = fakeCluster({ jobOf: (_, id) => children[id - 1] ?? {} });
  return {
    ...cluster,
    waitForChange: async (id: number, fields: readonly string[], seen: never) => {
      if (id === 1) return cluster.waitForChange(id, fields, seen);
      while (ends.submitted.length < children.length) await ends.submit([[]]);
      return ends.waitForChange(id - 1, fields, seen);
    },
    query: async (kind: string, fields: readonly string[], filter: never): Promise<QueryTable> =>
      kind === "job" ? tableOf([], []) : cluster.query(kind as "node", fields, filter),
  };
}

describe("moving instances off a node needs a confirmation", () => {
  test.each([
    ["evacuate", 13, "Relocate instance(s) db1, web9, web10 from node(s) node1?\ny/[n]/?: "],
    ["evacuate -p", 13, "Relocate instance(s) web9, web10 from node(s) node1?\ny/[n]/?: "],
    ["evacuate -s", 13, "Relocate instance(s) db1 from node(s) node1?\ny/[n]/?: "],
    ["migrate", 13, "Migrate instance(s) web9, web10?\ny/[n]/?: "],
    ["failover", 2, "Fail over instance(s) 'web9','web10'?\ny/[n]/?: "],
    ["powercycle", 2, "Are you sure you want to hard powercycle node node1?\ny/[n]/?: "],
  ])("gnt-node %s: no is code %i", async (command, code, question) => {
    const cluster = fakeCluster({ query: node1 });
    const answered = await runLine(gntNode, `${command} node1`, { cluster, typed: ["n"] });
    expect(answered).toEqual({ code, stdout: question, stderr: "" });
    // Without a terminal the answer is no.
    expect(await runLine(gntNode, `${command} node1`, { cluster })).toMatchObject({ code });
    expect(cluster.submitted).toEqual([]);
  });

  test("a confirmed move runs, and the ends of its child jobs are printed", async () => {
    const cluster = clusterOf([{ log: ["moving"] }, { error: ["OpExecError", ["no room"]] }]);
    expect(await runLine(gntNode, "evacuate -f node1", { cluster })).toEqual({
      code: 1,
      stdout:
        "Submitted jobs 2, 3\nWaiting for job 2 ...\nFri Jan 15 08:00:00 2027 moving\n" +
        "Waiting for job 3 ...\nThere were 1 errors during the evacuation.\n",
      stderr: "Job 3 has failed: Failure: command execution error:\nno room\n",
    });
    expect(cluster.submitted).toMatchObject([
      [{ OP_ID: "OP_NODE_EVACUATE", node_name: "node1", mode: "all" }],
    ]);
  });

  test("a new secondary node moves mirrors alone", async () => {
    const cluster = clusterOf([{}]);
    const { code, stderr } = await runLine(gntNode, "evacuate -f -n node2 node1", { cluster });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr:
        "New secondary node given (disabling iallocator), hence evacuating secondary instances only.\n",
    });
    expect(cluster.submitted[0]?.[0]).toMatchObject({
      mode: "secondary-only",
      remote_node: "node2",
    });
  });

  test("a node is brought online only after a warning", async () => {
    const cluster = fakeCluster();
    const { code, stdout } = await runLine(gntNode, "modify -O no node1", {
      cluster,
      typed: ["n"],
    });
    expect(code).toBe(1);
    expect(stdout.replaceAll("\n", " ")).toContain("You are setting this node online manually.");
    await runLine(gntNode, "modify -f -O no node1", { cluster });
    expect(cluster.submitted).toMatchObject([[{ offline: false, force: true }]]);
  });
});

describe("gnt-cluster verify", () => {
  test.each([
    ["all is well", [{ results: [true] }, { results: [true] }], 0, ""],
    ["something was found", [{ results: [true] }, { results: [false] }], 1, ""],
    [
      "a job failed",
      [{ results: [true] }, { error: ["OpExecError", ["lost"]] }],
      1,
      "1 job(s) failed while verifying the cluster.\n",
    ],
  ] as const)("%s", async (_, children, code, end) => {
    const { stdout, ...ran } = await runLine(gntCluster, "verify", {
      cluster: clusterOf(children),
    });
    expect(ran.code).toBe(code);
    expect(stdout).toBe(
      `Submitted jobs 2, 3\nWaiting for job 2 ...\nWaiting for job 3 ...\n${end}`,
    );
  });
});

describe("gnt-cluster verify-disks", () => {
  test("verify-disks reports failed nodes and missing volumes", () => {
    expect(
      findings([
        { node3: "x".repeat(500) },
        ["web1"],
        {
          web1: [
            ["node2", "xenvg/b"],
            ["node1", "xenvg/a"],
            ["node3", "xenvg/c"],
          ],
          web2: [["node3", "xenvg/d"]],
        },
      ]),
    ).toEqual([
      `Error gathering data on node node3: ${"x".repeat(400)}`,
      "You need to fix these nodes first before fixing instances",
      "Instance web1 has missing logical volumes:",
      "\tnode1 /dev/xenvg/a",
      "\tnode2 /dev/xenvg/b",
      "\tbroken node node3 /dev/xenvg/c",
      "Instance web2 cannot be verified as it lives on broken nodes",
      "You need to replace or recreate disks for all the above instances if this message persists after" +
        " fixing broken nodes.",
    ]);
  });

  test("verify-disks activates inactive disks", async () => {
    const cluster = clusterOf([{ results: [[{}, ["web1"], {}]] }]);
    const { code, stdout } = await runLine(gntCluster, "verify-disks", { cluster });
    expect(code).toBe(0);
    expect(stdout).toContain("Activating disks for instance 'web1'\n");
    expect(cluster.submitted.at(-1)).toMatchObject([
      { OP_ID: "OP_INSTANCE_ACTIVATE_DISKS", instance_name: "web1" },
    ]);
  });
});

describe("emergency power-off", () => {
  const node = { master: false, offline: false, powered: true, sinst_list: [] };
  const nodes = [
    { ...node, name: "node1", master: true, pinst_list: ["a"], sinst_list: ["b"] },
    { ...node, name: "node2", pinst_list: ["b"] },
    { ...node, name: "node3", powered: null, pinst_list: ["c"], sinst_list: ["a"] },
    { ...node, name: "node4", offline: true, powered: false, pinst_list: ["d"] },
  ];

  test("epo refuses to switch off the master alone", () => {
    expect(() => epoPlan(nodes, { on: false, all: false })).toThrow(
      /^node1 is the master node, please/,
    );
  });

  test("epo switches off powered nodes with a helper, and stops their instances", () => {
    const plan = epoPlan(nodes, { on: false, all: true });
    expect(plan.switched).toEqual(["node2"]);
    expect(plan.kept).toBe("node1");
    expect([...plan.instances.keys()]).toEqual(["a", "b", "c"]);
    expect(plan.remarks).toEqual([
      "Node node3 does not support out-of-band handling, it can not be handled in a fully automated manner",
      "Node node4 is already in desired power state, skipping",
    ]);
  });

  test("epo --on starts an instance when all of its nodes are back", () => {
    const plan = epoPlan(nodes, { on: true, all: true });
    expect(plan.switched).toEqual([]);
    expect([...plan.instances].map(([name, needed]) => [name, [...needed]])).toEqual([
      ["a", ["node3"]],
      ["b", ["node2"]],
      ["c", ["node3"]],
    ]);
    const off = nodes.map((node) => ({ ...node, powered: node.powered === null ? null : false }));
    expect(epoPlan(off, { on: true, all: true }).switched).toEqual(["node2"]);
  });
});

describe("tags", () => {
  test("tags of every kind of object are listed in order", async () => {
    const asked: Json[] = [];
    const cluster = fakeCluster({
      tags: async (kind, name) => {
        asked.push([kind, name ?? null]);
        return ["b", "a"];
      },
    });
    expect((await runLine(gntCluster, "list-tags", { cluster })).stdout).toBe("a\nb\n");
    await runLine(gntGroup, "list-tags rack2", { cluster });
    await runLine(gntInstance, "list-tags web1", { cluster });
    expect(asked).toEqual([
      ["cluster", null],
      ["group", "rack2"],
      ["instance", "web1"],
    ]);
  });

  test("tags are added to the named object, by the kind in opcodes", async () => {
    const cluster = fakeCluster();
    await runLine(gntGroup, "add-tags rack2 a b", { cluster });
    await runLine(gntNode, "remove-tags node1 a", { cluster });
    expect(cluster.submitted).toMatchObject([
      [{ OP_ID: "OP_TAGS_SET", kind: "nodegroup", name: "rack2", tags: ["a", "b"] }],
      [{ OP_ID: "OP_TAGS_DEL", kind: "node", name: "node1", tags: ["a"] }],
    ]);
  });

  test("at least one tag is required", async () => {
    const { code, stderr } = await runLine(gntCluster, "add-tags", {});
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        "Failure: prerequisites not met for this operation:\nerror type: wrong_input, error details:\nNo tags to be added\n",
    });
  });
});

describe("the queue and the watcher", () => {
  test("queue and watcher are paused, resumed and queried", async () => {
    const cluster = fakeCluster({
      isDrained: async () => true,
      watcherPause: async () => 1.8e9 + 60,
    });
    expect((await runLine(gntCluster, "queue info", { cluster })).stdout).toBe(
      "The drain flag is set\n",
    );
    await runLine(gntCluster, "queue undrain", { cluster });
    expect((await runLine(gntCluster, "watcher info", { cluster })).stdout).toBe(
      "The watcher is paused until Fri Jan 15 08:01:00 2027.\n",
    );
    expect((await runLine(gntCluster, "watcher pause 1h", { cluster })).stdout).toBe(
      "The watcher is paused until Fri Jan 15 09:00:00 2027.\n",
    );
    expect((await runLine(gntCluster, "watcher continue", { cluster })).stdout).toBe(
      "The watcher is no longer paused.\n",
    );
    expect(cluster.done).toEqual([
      ["setDrained", false],
      ["setWatcherPause", 1.8e9 + 3600],
      ["setWatcherPause", null],
    ]);
  });

  test.each([
    ["takes one job that has to be, and no other while that runs", { results: [null] }, 0],
    ["is drained again where that fails", { error: ["OpExecError", ["no"]] }, 1],
    ["is drained again where that is refused", "no", 1],
  ] as const)("a drained queue %s", async (_, job: FakeJob | string, expected) => {
    const told: string[] = [];
    const fake = fakeCluster({ jobOf: () => job, isDrained: async () => true });
    const cluster: FakeCluster = {
      ...fake,
      submit: (jobs) => {
        told.push("submitted");
        return fake.submit(jobs);
      },
      setDrained: async (drained) => void told.push(drained ? "drained" : "undrained"),
      waitForChange: (...about) => {
        told.push("awaited");
        return fake.waitForChange(...about);
      },
    };
    const { code } = await runLine(gntCluster, "redist-conf --yes-do-it", { cluster });
    const awaited = typeof job === "string" ? [] : ["awaited"];
    expect([code, ...told]).toEqual([expected, "undrained", "submitted", "drained", ...awaited]);
  });

  test.each(["queue nosuch", "watcher nosuch"])("%s is no command", async (line) => {
    expect((await runLine(gntCluster, line)).stderr).toContain("Command 'nosuch' is not valid.\n");
  });
});

test.each([
  ["renew-crypto --new-rapi-certificate", "Cannot do --new-rapi-certificate: remove rapi.pem"],
  [
    "renew-crypto --new-cluster-domain-secret",
    "Cannot do --new-cluster-domain-secret: it is the file /var/lib/ganeti/cluster-domain-secret of the master",
  ],
  ["destroy", "Destroying a cluster is irreversible."],
  [
    "init --nodes=3 demo.example.org",
    "--nodes is for simulated nodes: add machines with gnt-node add",
  ],
])("gnt-cluster %s is refused in words", async (line, words) => {
  const { code, stderr } = await runLine(gntCluster, line);
  expect(code).toBe(1);
  expect(stderr.startsWith(words)).toBe(true);
});

test("a text that the command itself parses is refused with the command's usage", async () => {
  const ran = await runLine(gntGroup, "modify --ipolicy-vcpu-ratio=x g1");
  expect(ran).toEqual({
    code: 2,
    stdout: "",
    stderr:
      "Usage\n=====\n  gnt-group modify <group>\n\n" +
      "gnt-group: error: option --ipolicy-vcpu-ratio: invalid floating-point value: 'x'\n",
  });
});

test("list-drbd shows minors of mirrors on both of their sides", () => {
  const disk = (primary: string, secondary: string, at: number) => ({
    iv_name: `disk/${at}`,
    drbd_info: {
      primary_node: primary,
      primary_minor: 2 - at,
      secondary_node: secondary,
      secondary_minor: 7,
    },
  });
  const data = {
    web1: { disks: [disk("a", "b", 0), disk("a", "b", 1)] },
    web2: { disks: [disk("b", "a", 0), { iv_name: "disk/1", drbd_info: null }] },
  };
  expect(drbdRows("a", data)).toEqual([
    ["a", 1, "web1", "disk/1", "primary", "b"],
    ["a", 2, "web1", "disk/0", "primary", "b"],
    ["a", 7, "web2", "disk/0", "secondary", "b"],
  ]);
});

test.each([
  [1, 32, "3.12"],
  [3, 32, "9.38"],
  [124, 128, "96.88"],
  [250, 256, "97.66"],
  [0, 16, "0.00"],
])("%i of %i are %s percent, as Python rounds", (part, whole, text) =>
  expect(percentText(part, whole)).toBe(text),
);

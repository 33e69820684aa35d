// gnt-cluster epo, off and on: confirmations, order of jobs, and exit codes.
import { describe, expect, test } from "vitest";
import type { OpcodeJson } from "../src/cluster.js";
import { program as gntCluster } from "../src/programs/gnt-cluster.js";
import { answering, type FakeJob, fakeCluster, type Thing, tableOf } from "./fake-cluster.js";
import { runLine } from "./run-line.js";

/**
 * node1 is the master; web1 is on node2 and node3, db1 on node1 alone; all nodes but node3 have
 * helpers.
 */
function aCluster(powered: boolean, bad: (opcode: OpcodeJson) => boolean = () => false) {
  const node = (name: string, more: Thing): Thing => ({
    name,
    powered,
    offline: false,
    master: false,
    mtotal: 1024,
    pinst_list: [],
    sinst_list: [],
    ...more,
  });
  const nodes = [
    node("node1", { master: true, powered: true, pinst_list: ["db1"] }),
    node("node2", { pinst_list: ["web1"] }),
    node("node3", { powered: null, sinst_list: ["web1"] }),
  ];
  return fakeCluster({
    query: async (kind, fields, filter) => {
      // No other jobs run, so that the messages of the first job are followed.
      if (kind === "job") return tableOf(fields, []);
      const group = { name: "g", node_list: ["node2", "node3"] };
      return kind === "group"
        ? answering([group])(kind, fields, null)
        : answering(nodes)(kind, fields, filter);
    },
    jobOf: ([opcode]): FakeJob => {
      if (opcode === undefined || bad(opcode)) return { error: "broken" };
      if (opcode.OP_ID !== "OP_OOB_COMMAND") return {};
      const names = opcode.node_names as string[];
      return {
        results: [
          names.map((name) => [
            [0, name],
            [bad({ OP_ID: "power", name }) ? 2 : 0, null],
          ]),
        ],
      };
    },
  });
}

const opcodesOf = ({ submitted }: ReturnType<typeof aCluster>) =>
  submitted
    .flat()
    .map(({ OP_ID, instance_name, node_names, command }) =>
      [OP_ID, instance_name ?? node_names, command].filter((one) => one !== undefined),
    );

describe("epo off", () => {
  test("after a confirmation instances are stopped, then nodes are switched off", async () => {
    const cluster = aCluster(true);
    const { code, stdout, stderr } = await runLine(gntCluster, "epo --groups g", {
      cluster,
      typed: ["y"],
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.split("\n")).toEqual([
      "Node node3 does not support out-of-band handling, it can not be handled in a fully automated manner",
      ...["The epo will operate on 2 nodes.", "Do you want to continue?", "Affected nodes:"],
      ...["  node2", "  node3", "y/[n]/?: Submit shutdown of instance web1"],
      ...["Submitted jobs 1", "Waiting for job 1 for web1 ..."],
      ...["All instances have been stopped successfully", ""],
    ]);
    expect(opcodesOf(cluster)).toEqual([
      ["OP_INSTANCE_SHUTDOWN", "web1"],
      ["OP_OOB_COMMAND", ["node2"], "power-off"],
    ]);
    expect(cluster.submitted[0]?.[0]).toMatchObject({ no_remember: true });
  });

  test("epo does nothing without a confirmation", async () => {
    const cluster = aCluster(true);
    expect((await runLine(gntCluster, "epo node2", { cluster })).code).toBe(1);
    expect(cluster.submitted).toEqual([]);
  });

  test("nodes stay on if one of their instances does not stop", async () => {
    const cluster = aCluster(true, ({ instance_name }) => instance_name === "web1");
    const { code, stderr } = await runLine(gntCluster, "epo -f node2", { cluster });
    expect(code).toBe(1);
    expect(stderr.split("\n").slice(-4)).toEqual([
      "There were errors while stopping instances:",
      "1 error(s) out of 1 instance(s)",
      "Please investigate and stop instances manually before continuing",
      "",
    ]);
    expect(opcodesOf(cluster)).toEqual([["OP_INSTANCE_SHUTDOWN", "web1"]]);
  });

  test("a node that cannot be switched off is reported", async () => {
    const cluster = aCluster(true, ({ OP_ID, name }) => OP_ID === "power" && name === "node2");
    const { code, stderr } = await runLine(gntCluster, "epo -f node2", { cluster });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: "There was a problem changing power for node2, please investigate\n",
    });
  });

  test("the master is left to the administrator, after all others", async () => {
    const cluster = aCluster(true);
    const { code, stderr } = await runLine(gntCluster, "epo -f --all", { cluster });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        "node1 is the master node, which does not switch itself off: switch it off by hand, as the last one\n",
    });
    expect(opcodesOf(cluster)).toEqual([
      ["OP_INSTANCE_SHUTDOWN", "db1"],
      ["OP_INSTANCE_SHUTDOWN", "web1"],
      ["OP_OOB_COMMAND", ["node2"], "power-off"],
    ]);
  });
});

describe("epo on", () => {
  test("nodes are switched on and awaited, and then instances start", async () => {
    const cluster = aCluster(false);
    const { code, stdout, stderr } = await runLine(gntCluster, "epo -f --on --all", { cluster });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.split("\n").slice(1)).toEqual([
      "Waiting until all nodes are available again",
      ...[1, 2, 3].map((number) => `Node node${number} became available`),
      ...["Submit startup of instance db1", "Submit startup of instance web1"],
      ...["Submitted jobs 2, 3", "Waiting for job 2 for db1 ...", "Waiting for job 3 for web1 ..."],
      ...["All instances have been started successfully", ""],
    ]);
    expect(opcodesOf(cluster)[0]).toEqual(["OP_OOB_COMMAND", ["node2"], "power-on"]);
  });

  test("instances that do not start, and nodes that do not answer, are reported", async () => {
    const cluster = aCluster(
      false,
      ({ OP_ID, instance_name }) => OP_ID === "power" || instance_name === "web1",
    );
    const { code, stderr } = await runLine(gntCluster, "epo -f --on --all", { cluster });
    expect(code).toBe(1);
    expect(stderr).toContain("Not all nodes seem to get back up, investigate and start manually");
    expect(stderr).toContain("There were errors while starting instances:\n1 error(s) out of 2 ");
    expect(stderr).toMatch(/Please investigate and start stopped instances manually\n$/);
  });
});

test.each([
  ["--groups --all g", "Only one of --groups or --all are allowed\n"],
  ["--all node1", "Arguments in combination with --all are not allowed\n"],
  ["node1", expect.stringMatching(/^node1 is the master node, please do a master-failover to an/)],
])("epo %s is refused", async (line, words) => {
  const { code, stderr } = await runLine(gntCluster, `epo ${line}`, { cluster: aCluster(true) });
  expect({ code, stderr }).toEqual({ code: 1, stderr: words });
});

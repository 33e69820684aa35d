import type { JsonObject, NodeUuid } from "@ganeti-ts/protocol";
import { describe, expect, test } from "vitest";
import { refused } from "../../test/support/results.js";
import { simulatedCluster } from "../../test/support/simulated-cluster.js";

test("a restricted command runs on each node that allows it, and others report an error", async () => {
  const { run } = await simulatedCluster(
    {},
    {
      hosts: [
        { name: "node1.example.com", commands: { uptime: "3 days\n" } },
        { name: "node2.example.com" },
        { name: "node3.example.com" },
      ],
    },
  );
  const op = { OP_ID: "OP_RESTRICTED_COMMAND", nodes: ["node1", "node2"], command: "uptime" };
  expect((await run(op)).result).toEqual([
    [true, "3 days\n"],
    [
      false,
      "Command 'uptime' on node 'node2.example.com' failed: Executing command 'uptime' failed",
    ],
  ]);
});

describe("out-of-band power control", () => {
  const oob = (command: string, more: JsonObject = {}) => ({
    OP_ID: "OP_OOB_COMMAND",
    command,
    power_delay: 0,
    ...more,
  });
  async function stage(program = "/usr/bin/oob") {
    const cluster = await simulatedCluster({ node: { ndparams: { oob_program: program } } });
    const setOffline = async (uuid: NodeUuid) => {
      const node = cluster.config.snapshot.expectNode(uuid);
      const object = { ...node, offline: true, master_candidate: false };
      await cluster.put({ kind: "put", type: "node", object });
    };
    return { ...cluster, setOffline };
  }
  const powered = ({ config }: Awaited<ReturnType<typeof stage>>, uuid: NodeUuid) =>
    config.snapshot.node(uuid)?.powered;

  test("power off and on are recorded in the configuration", async () => {
    const staged = await stage();
    const [, b] = staged.nodes as [NodeUuid, NodeUuid];
    await staged.setOffline(b);
    const off = await staged.run(oob("power-off", { node_names: ["node2"] }));
    expect(off.result).toEqual([
      [
        [0, "node2.example.com"],
        [0, null],
      ],
    ]);
    expect(staged.simulated.stateOf(b)?.powered).toBe(false);
    expect(powered(staged, b)).toBe(false);
    const status = await staged.run(oob("power-status", { node_names: ["node2"] }));
    expect(status.result).toEqual([
      [
        [0, "node2.example.com"],
        [0, { powered: false }],
      ],
    ]);
    await staged.run(oob("power-on", { node_names: ["node2"] }));
    expect(powered(staged, b)).toBe(true);
  });

  test("powering off a node in use needs --ignore-status, and the master is never powered off", async () => {
    const staged = await stage();
    expect((await staged.run(oob("power-off", { node_names: ["node2"] }))).result).toEqual(
      refused(
        "Cannot power off node node2.example.com because it is not marked offline",
        "wrong_state",
      ),
    );
    expect((await staged.run(oob("power-cycle", { node_names: ["node1"] }))).result).toEqual(
      refused(
        "Operating on the master node node1.example.com is not allowed for power-cycle; run '/usr/bin/oob power-cycle node1.example.com' if you want to operate on the master regardless",
        "wrong_input",
      ),
    );
    const all = await staged.run(oob("power-off", { ignore_status: true }));
    expect(all.result).toHaveLength(2);
  });

  test("power commands fail on nodes without an out-of-band program", async () => {
    const { run } = await stage("");
    expect((await run(oob("health"))).result).toEqual(
      [1, 2, 3].map((at) => [
        [0, `node${at}.example.com`],
        [3, null],
      ]),
    );
  });

  test("bad health items appear in the job's log", async () => {
    const { run, simulated, nodes } = await stage();
    await simulated.powerOff(nodes[2] as string);
    const { result, log } = await run(oob("health"));
    expect(result).toMatchObject([
      {},
      {},
      [
        [0, "node3.example.com"],
        [0, [["power", "CRITICAL"]]],
      ],
    ]);
    expect(log).toEqual([
      " - WARNING: Item 'power' on node 'node3.example.com' has status 'CRITICAL'",
    ]);
    simulated.fail({ kind: "refused", call: "run_oob", message: "no such program" });
    const failed = await run(oob("health", { node_names: ["node2"] }));
    expect(failed.result).toEqual([
      [
        [0, "node2.example.com"],
        [2, null],
      ],
    ]);
    expect(failed.log).toEqual([
      " - WARNING: Out-of-band RPC failed on node 'node2.example.com': no such program",
    ]);
  });
});

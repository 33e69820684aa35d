import { describe, expect, test } from "vitest";
import { simulatedCluster } from "../support/simulated-cluster.js";

const failover = (node_name: string, more = {}) => ({
  OP_ID: "OP_CLUSTER_MASTER_FAILOVER",
  node_name,
  ...more,
});

async function stage() {
  const cluster = await simulatedCluster();
  const [a = "", b = "", c = ""]: readonly string[] = cluster.nodes;
  const { run, config } = cluster;
  await run({ OP_ID: "OP_CLUSTER_ACTIVATE_MASTER_IP" });
  const addresses = (node: string) => cluster.simulated.stateOf(node)?.addresses;
  const masterOf = () => config.snapshot.cluster.master_node;
  return { ...cluster, a, b, c, addresses, masterOf };
}

describe("master failover", () => {
  test("the new master gets the cluster's address from the old one, and every node is notified", async () => {
    const { run, a, b, c, addresses, masterOf, config, simulated } = await stage();
    const ip = config.snapshot.cluster.master_ip;
    expect(addresses(a)).toEqual([ip]);
    expect((await run(failover("node2", { dry_run: true }))).status).toBe("success");
    expect(masterOf()).toBe(a);
    const { status, result } = await run(failover("node2"));
    expect({ status, result }).toEqual({
      status: "success",
      result: ["node1.example.com", "node2.example.com"],
    });
    expect(masterOf()).toBe(b);
    expect([addresses(a), addresses(b)]).toEqual([[], [ip]]);
    for (const node of [a, b, c]) {
      const files = simulated.stateOf(node)?.files ?? {};
      expect(files["/var/lib/ganeti/ssconf_master_node"]).toBe("node2.example.com\n");
    }
  });

  test("a master failover away from a dead master succeeds with a warning", async () => {
    const { run, a, b, masterOf, simulated } = await stage();
    await simulated.powerOff(a);
    const { status, log } = await run(failover("node2"));
    expect(status).toBe("success");
    expect(masterOf()).toBe(b);
    expect(log.join("\n")).toContain("Could not disable the master IP on node1.example.com: ");
  });

  test("a master failover to a dead node, or among mostly dead nodes without --no-voting, is refused", async () => {
    const { run, a, b, c, masterOf, simulated } = await stage();
    for (const node of [a, c]) await simulated.powerOff(node);
    const refused = await run(failover("node2"));
    expect(refused.status).toBe("error");
    expect(JSON.stringify(refused.result)).toContain(
      "Unhealthy nodes: node1.example.com, node3.example.com",
    );
    expect(JSON.stringify((await run(failover("node3", { no_voting: true }))).result)).toContain(
      "node3.example.com does not answer",
    );
    expect(masterOf()).toBe(a);
    expect((await run(failover("node2", { no_voting: true }))).status).toBe("success");
    expect(masterOf()).toBe(b);
  });

  test("a master failover is refused to a non-candidate and to the present master", async () => {
    const { run, c, config, put } = await stage();
    const object = { ...config.snapshot.expectNode(c), master_candidate: false };
    await put({ kind: "put", type: "node", object });
    expect((await run(failover("node3"))).result).toEqual([
      "OpPrereqError",
      [expect.stringMatching(/master candidates is:\nnode2\.example\.com$/), "wrong_state"],
    ]);
    expect((await run(failover("node1"))).result).toEqual([
      "OpPrereqError",
      ["node1.example.com is already the master", "wrong_input"],
    ]);
  });
});

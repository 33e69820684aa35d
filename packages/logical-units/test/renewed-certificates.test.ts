// Certificates of the master and of candidates are replaced; the server dies, or the job is killed, at each step.
import { type ConfigStore, createMemoryStore } from "@ganeti-ts/config";
import { dataDirectory, type NodeBackend } from "@ganeti-ts/node-calls";
import type { JsonObject } from "@ganeti-ts/protocol";
import { Fuse, Killing } from "@ganeti-ts/testkit/simulation";
import { expect, test } from "vitest";
import { killAll } from "./support/kill-all.js";
import { type SimulatedCluster, simulatedCluster, simulatedNodes } from "./support/simulated.js";

const renew: JsonObject = { OP_ID: "OP_CLUSTER_RENEW_CRYPTO", node_certificates: true };
const caller = { lease: "9:1", signal: new AbortController().signal };

/** Three nodes, of which the first two are candidates; their certificates were renewed once. */
async function renewedOnce() {
  const store = createMemoryStore();
  const simulated = await simulatedNodes({}, { nodeCount: 3 });
  const all = { store, simulated, nodeCount: 3 };
  const first = await simulatedCluster({ ...all, cluster: { candidate_pool_size: 2 } });
  expect((await first.run(renew)).status).toBe("success");
  return { all, first };
}

/** Digests of the certificates that nodes use. */
const used = ({ nodes, simulated }: Pick<SimulatedCluster, "nodes" | "simulated">) =>
  Promise.all(
    nodes.map(async (uuid) => {
      const answer = await simulated.call(uuid, "node_crypto_tokens", {}, caller);
      return answer.ok ? answer.value.digest : answer.message;
    }),
  );

/** Digests that nodes accept from their callers. */
const accepted = ({ nodes, simulated }: Pick<SimulatedCluster, "nodes" | "simulated">) =>
  nodes.map((uuid) => {
    const path = `${dataDirectory}/ssconf_master_candidates_certs`;
    const lines = simulated.stateOf(uuid)?.files[path]?.trim().split("\n") ?? [];
    return lines.map((line) => line.slice(line.indexOf("=") + 1)).sort();
  });

async function expectSettled(cluster: SimulatedCluster) {
  const [master = "", candidate = "", other] = await used(cluster);
  expect(other).not.toBe(master);
  const listed = [master, candidate].sort();
  expect(accepted(cluster)).toEqual([listed, listed, listed]);
}

test("the master and all candidates get other certificates, and nodes accept no former one", async () => {
  const { first } = await renewedOnce();
  const before = await used(first);
  const { log } = await first.run(renew);
  expect(log).toEqual(["Renewing Node SSL certificates"]);
  const after = await used(first);
  expect(after.map((digest, at) => digest === before[at])).toEqual([false, false, true]);
  await expectSettled(first);
});

test("the master keeps its certificate while an online node does not accept another one", async () => {
  const { first } = await renewedOnce();
  const [master, candidate] = await used(first);
  const [, , third = ""] = first.nodes;
  const mend = first.simulated.fail({ node: third, call: "try_certificate", kind: "refused" });
  const { status, log } = await first.run(renew);
  expect([status, log]).toEqual([
    "success",
    [
      "Renewing Node SSL certificates",
      " - WARNING: The master keeps its certificate, because a new one cannot be used everywhere: node node3.example.com: try_certificate: refused",
      "      Hint: Make these nodes reachable, or set them offline, and run 'gnt-cluster renew-crypto --new-node-certificates' again",
    ],
  ]);
  expect((await used(first))[0]).toBe(master);
  expect((await used(first))[1]).not.toBe(candidate);
  await expectSettled(first);

  mend();
  await first.run(renew);
  expect((await used(first))[0]).not.toBe(master);
  await expectSettled(first);
});

test("offline nodes are named, because they know only the master's former certificate", async () => {
  const { first } = await renewedOnce();
  const node = first.config.snapshot.expectNode("node3.example.com");
  await first.put({ kind: "put", type: "node", object: { ...node, offline: true } });
  const [master] = await used(first);
  expect((await first.run(renew)).log).toEqual([
    "Renewing Node SSL certificates",
    " - INFO: Offline nodes do not accept the master's new certificate: add them again with 'gnt-node add --readd' (node3.example.com)",
  ]);
  expect((await used(first))[0]).not.toBe(master);
});

const ways = ["dies before", "dies after", "is killed before", "is killed after"] as const;

test.each(ways)(
  "a server that %s any step leaves nodes that accept its certificate, and a repetition ends well",
  async (way) => {
    let cuts = 0;
    let swapped = 0;
    let isInterrupted = false;
    for (let at = 1; ; at++) {
      const { all, first } = await renewedOnce();
      const [former] = await used(first);
      const wasCut = await cut(all, at, way);
      if (!wasCut) break;
      cuts++;
      const next = await simulatedCluster({ ...all, seed: 3 });
      const [master = ""] = await used(next);
      if (master !== former) swapped++;
      const where = `at effect ${at}`;
      for (const digests of accepted(next)) expect(digests, where).toContain(master);
      const verified = await next.run({ OP_ID: "OP_CLUSTER_VERIFY_GROUP", group_name: "default" });
      if (/renewal of its certificate was interrupted/.test(JSON.stringify(verified.log))) {
        isInterrupted = true;
      }
      expect((await next.run(renew)).status, where).toBe("success");
      expect((await used(next))[0], where).not.toBe(master);
      await expectSettled(next);
    }
    expect(cuts).toBeGreaterThan(12);
    expect(swapped).toBeGreaterThan(2);
    expect(swapped).toBeLessThan(cuts - 8);
    // A killed job takes the second certificate off the lists itself.
    expect(isInterrupted).toBe(way.startsWith("dies"));
  },
);

/** Whether the job was interrupted there; it has no further effects otherwise. */
async function cut(
  all: { readonly store: ConfigStore; readonly simulated: SimulatedCluster["simulated"] },
  at: number,
  way: (typeof ways)[number],
): Promise<boolean> {
  const place = way.endsWith("before") ? "before" : "after";
  const opened = (cutter: Fuse | Killing) =>
    simulatedCluster({
      ...all,
      ...{ nodeCount: 3, seed: 2, store: cutter.store(all.store) },
      between: (nodes: NodeBackend) => cutter.nodes(nodes),
      betweenHost: (host) => cutter.host(host),
    });
  if (way.startsWith("dies")) {
    const fuse = new Fuse(at, place);
    const doomed = await opened(fuse);
    return Promise.race([fuse.over.then(() => true), doomed.run(renew).then(() => false)]);
  }
  const killing = new Killing(at, place);
  const killed = await opened(killing);
  killing.kill = () => killAll(killed.queue);
  await killed.run(renew);
  while (killed.queue.heldCount > 0) await new Promise((resolve) => setTimeout(resolve, 1));
  return killing.wasReached;
}

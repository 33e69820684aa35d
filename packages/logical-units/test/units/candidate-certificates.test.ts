// Roles of nodes in random orders, with calls that fail: each candidate's certificate is known, and no other one.
import type { JsonObject } from "@ganeti-ts/protocol";
import { randomRuns } from "@ganeti-ts/testkit";
import { Dice } from "@ganeti-ts/testkit/simulation";
import { expect, test } from "vitest";
import { simulatedCluster } from "../support/simulated.js";

const set = (node_name: string, change: JsonObject): JsonObject => ({
  ...{ OP_ID: "OP_NODE_SET_PARAMS", node_name },
  ...change,
});

/** An opcode about the role of a node other than the master, or about all candidates. */
function anOpcode(dice: Dice): JsonObject {
  const node = dice.pick(["node2", "node3", "node4"]);
  const flag = () => ({ [dice.pick(["offline", "drained"])]: dice.chance(0.5) });
  return dice.pick<() => JsonObject>([
    () => set(node, { ...flag(), auto_promote: dice.chance(0.5) }),
    () => set(node, { offline: false, master_candidate: true }),
    () => set(node, { master_candidate: dice.chance(0.5), auto_promote: true }),
    () => set(node, { offline: true, auto_promote: true }),
    () => ({ OP_ID: "OP_CLUSTER_SET_PARAMS", candidate_pool_size: dice.between(1, 4) }),
    () => ({ OP_ID: "OP_CLUSTER_RENEW_CRYPTO", node_certificates: true }),
    () => ({ OP_ID: "OP_NODE_ADD", node_name: `${node}.example.com`, readd: true }),
  ])();
}

test("after any order of roles, returns and lost calls, the certificates of exactly the candidates are known", async () => {
  const seen = { success: 0, error: 0, promoted: 0, lost: 0 };
  for (let seed = 1; seed <= randomRuns(120); seed++) {
    const dice = new Dice(seed);
    const { run, config, simulated } = await simulatedCluster({ nodeCount: 4 });
    const candidates = () =>
      [...config.snapshot.nodes()].flatMap(({ uuid, master_candidate }) =>
        master_candidate ? [uuid as string] : [],
      );
    // The cluster of the test has been made without certificates.
    await run({ OP_ID: "OP_CLUSTER_RENEW_CRYPTO", node_certificates: true });
    for (let step = 0; step < 12; step++) {
      const lost = dice.chance(0.3);
      if (lost) {
        seen.lost++;
        simulated.fail({ kind: "lost before", call: "node_crypto_tokens", times: 1 });
      }
      const before = candidates();
      const opcode = anOpcode(dice);
      const { status } = await run(opcode);
      seen[status === "success" ? "success" : "error"]++;
      if (candidates().some((uuid) => !before.includes(uuid))) seen.promoted++;
      const known = Object.keys(config.snapshot.cluster.candidate_certs);
      expect([seed, step, opcode, known.sort()]).toEqual([seed, step, opcode, candidates().sort()]);
    }
  }
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(10);
});

// Instances that their node did not stop before they were removed, or started elsewhere.

import { defaultPolicy } from "@ganeti-ts/config";
import type { NodeBackend } from "@ganeti-ts/node-calls";
import type { JsonObject, NodeUuid } from "@ganeti-ts/protocol";
import { setEntry } from "@ganeti-ts/simulated-nodes";
import { faultsAtRest, lostData, straysRunning } from "@ganeti-ts/simulated-nodes/at-rest";
import { beforeEach, describe, expect, test } from "vitest";
import { recoverHeld } from "../src/recovery.js";
import { deaths, type Life, recoverAll } from "./support/next-server.js";
import { about, create, mirrored } from "./support/opcodes.js";
import { failed } from "./support/results.js";
import { type SimulatedCluster, simulatedCluster } from "./support/simulated.js";

const remove = about("OP_INSTANCE_REMOVE", { ignore_failures: true });

let cluster: SimulatedCluster;
beforeEach(async () => {
  const templates = ["plain", "drbd", "file"] as const;
  cluster = await simulatedCluster({
    nodeCount: 3,
    cluster: {
      enabled_disk_templates: templates,
      file_storage_dir: "/srv/files",
      ipolicy: defaultPolicy(templates),
    },
  });
});

const succeed = async (...opcodes: JsonObject[]) => {
  for (const opcode of opcodes) {
    const { status, result } = await cluster.run(opcode);
    expect(status, JSON.stringify(result)).toBe("success");
  }
};
const recover = (nodes: NodeBackend = cluster.simulated) => recoverAll(cluster.config, nodes);
const faults = ({ config, simulated }: SimulatedCluster) => [
  ...faultsAtRest(config.snapshot, simulated),
  ...straysRunning(config.snapshot, simulated),
  ...lostData(config.snapshot, simulated),
];
const firstOf = ({ nodes: [node] }: SimulatedCluster) => node as NodeUuid;
/** Makes the first node refuse to stop instances; gives the undo function. */
const stopsNothing = (on: SimulatedCluster) =>
  on.simulated.fail({ kind: "refused", call: "instance_shutdown", node: firstOf(on) });
/** Cuts the first node off from the others, while its instances run on; gives the undo function. */
function cutOff(on: SimulatedCluster): () => void {
  const node = firstOf(on);
  for (const side of Object.values(on.simulated.stateOf(node)?.drbd ?? {})) {
    Object.assign(side, { connects: false });
  }
  return on.simulated.fail({ kind: "lost before", node });
}
/** Devices that the instance holds open on the first node. */
const devices = () =>
  cluster.simulated.stateOf(firstOf(cluster))?.instances["web1.example.com"]?.devices;

describe("an instance that is removed while its node does not stop it", () => {
  test.each([
    ["plain", {}],
    ["drbd", mirrored],
    ["file", { disk_template: "file" }],
  ])("is stopped by recovery once the node does, with %s", async (_, more) => {
    await succeed(create(more));
    const repair = stopsNothing(cluster);
    await succeed(remove);
    await recover();
    expect(straysRunning(cluster.config.snapshot, cluster.simulated)).toHaveLength(1);
    repair();
    await recover();
    expect(faults(cluster)).toEqual([]);
  });

  test("is stopped on its secondary node, where it runs since a migration that was not finished", async () => {
    await succeed(create(mirrored));
    const [source, target] = cluster.nodes.map((node) => cluster.simulated.stateOf(node));
    setEntry(target?.instances ?? {}, "web1.example.com", source?.instances["web1.example.com"]);
    setEntry(source?.instances ?? {}, "web1.example.com", undefined);
    await succeed(remove);
    expect(cluster.runningOn(2)).toEqual(["web1.example.com"]);
    await recover();
    expect(faults(cluster)).toEqual([]);
  });

  test("is stopped when its offline node comes back", async () => {
    await succeed(create({ pnode: "node2.example.com" }));
    const node2 = { OP_ID: "OP_NODE_SET_PARAMS", node_name: "node2.example.com" };
    await succeed({ ...node2, offline: true });
    const repair = cluster.simulated.fail({
      kind: "lost before",
      node: cluster.nodes[1] as NodeUuid,
    });
    await succeed(remove);
    await recover();
    repair();
    await succeed({ ...node2, offline: false });
    await recover();
    expect(faults(cluster)).toEqual([]);
  });

  test("is not stopped by a recovery that another one has overtaken: one of its name may run there", async () => {
    await succeed(create());
    const repair = stopsNothing(cluster);
    await succeed(remove, create({ start: false }));
    repair();
    const { config, simulated: nodes } = cluster;
    const signal = new AbortController().signal;
    await recoverHeld({ config, nodes, lease: "9:1", signal }, async () => {
      // Not stored yet when the recovery reads the claim.
      void config.change((now) => {
        const changes = [...now.claims()].flatMap((claim) => {
          if (claim.kind !== "removal") return [];
          const { running: _, ...object } = claim;
          return [{ kind: "put", type: "claim", object } as const];
        });
        return { changes, value: undefined };
      });
      return true;
    });
    expect(cluster.runningOn(1)).toEqual(["web1.example.com"]);
  });

  test("is stopped before another one of its name starts there, which recovery leaves running", async () => {
    await succeed(create());
    const before = devices();
    const repair = stopsNothing(cluster);
    await succeed(remove, create({ start: false }));
    expect(await cluster.run(about("OP_INSTANCE_STARTUP"))).toMatchObject({
      status: "error",
      result: failed(
        "Could not start instance 'web1.example.com': web1.example.com could not be stopped there before: instance_shutdown: refused",
      ),
    });
    expect(devices()).toEqual(before);
    repair();
    await succeed(about("OP_INSTANCE_STARTUP"));
    const after = devices();
    expect(after).not.toEqual(before);
    await recover();
    expect(devices()).toEqual(after);
    expect(faults(cluster)).toEqual([]);
  });

  test("no other one of its name starts there while recovery is stopping it", async () => {
    await succeed(create());
    const repair = stopsNothing(cluster);
    await succeed(remove, create({ start: false }));
    repair();
    let started: unknown;
    const { simulated } = cluster;
    const slow: NodeBackend = {
      introduce: (node) => simulated.introduce(node),
      call: async (node, name, args, caller) => {
        if (name === "instance_shutdown") started = await cluster.run(about("OP_INSTANCE_STARTUP"));
        return simulated.call(node, name, args, caller);
      },
    };
    await recover(slow);
    expect(started).toMatchObject({
      status: "error",
      result: failed(
        "Could not start instance 'web1.example.com': An earlier web1.example.com is being stopped there",
      ),
    });
    await succeed(about("OP_INSTANCE_STARTUP"));
    expect(faults(cluster)).toEqual([]);
  });
});

describe("an instance that is started elsewhere while its node does not stop it", () => {
  const failover = about("OP_INSTANCE_FAILOVER", { ignore_consistency: true });
  const move = about("OP_INSTANCE_MOVE", {
    ...{ ignore_consistency: true, target_node: "node2.example.com" },
  });

  test.each([
    ["a failover", mirrored, failover, cutOff],
    ["a move", {}, move, stopsNothing],
  ])("is stopped there by recovery after %s", async (_, more, opcode, trouble) => {
    await succeed(create(more));
    const repair = trouble(cluster);
    await succeed(opcode);
    expect(cluster.runningOn(1)).toEqual(cluster.runningOn(2));
    await recover();
    repair();
    await recover();
    expect([cluster.runningOn(1), cluster.runningOn(2)]).toEqual([[], ["web1.example.com"]]);
    expect(faults(cluster)).toEqual([]);
  });

  test("runs on if it could not be started elsewhere", async () => {
    await succeed(create(mirrored));
    const repair = cutOff(cluster);
    const target = cluster.nodes[1] as NodeUuid;
    cluster.simulated.fail({ kind: "refused", call: "instance_start", node: target });
    expect((await cluster.run(failover)).status).toBe("error");
    expect([...cluster.config.snapshot.claims()]).toEqual([]);
    repair();
    await recover();
    expect([cluster.runningOn(1), cluster.runningOn(2)]).toEqual([["web1.example.com"], []]);
  });
});

test.each([
  ["a removal", {}, remove],
  ["a failover", mirrored, about("OP_INSTANCE_FAILOVER", { ignore_consistency: true })],
])("nothing is left running if the server dies during %s", async (_, more, opcode) => {
  let repair = () => {};
  const life: Life = {
    async before(first) {
      expect(await first.run(create(more))).toMatchObject({ status: "success" });
    },
    damage: (doomed) => {
      repair = cutOff(doomed);
    },
    opcode,
  };
  let count = 0;
  for await (const [next, where] of deaths(life)) {
    repair();
    await recoverAll(next.config, next.simulated);
    expect(straysRunning(next.config.snapshot, next.simulated), where).toEqual([]);
    expect([...next.config.snapshot.claims()], where).toEqual([]);
    count++;
  }
  expect(count).toBeGreaterThan(5);
});

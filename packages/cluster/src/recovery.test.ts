import {
  Configuration,
  createConfiguration,
  createMemoryStore,
  initialConfiguration,
  newUuid,
} from "@ganeti-ts/config";
import type { JobQueue } from "@ganeti-ts/job-queue";
import type { NodeBackend, RefusingNodes } from "@ganeti-ts/node-calls";
import type { ClaimUuid, JobId, NodeUuid } from "@ganeti-ts/protocol";
import { systemClock as clock, secureRandom as random } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import type { ClusterLog } from "./log.js";
import { keepRecovering, takersOf } from "./recovery.js";

test("claims of ended jobs are released, except while this worker's operation still runs", async () => {
  const store = createMemoryStore();
  const nodes = [{ name: "node1.example.com", primary_ip: "192.0.2.1" }];
  const clusterName = "cluster.example.com";
  await createConfiguration(store, initialConfiguration({ clusterName, nodes, random, now: 1 }));
  const config = await Configuration.open(store, { clock, random });
  const [node] = config.snapshot.nodes();
  const held = [1, 2, 3, 4, 5].map((job) => ({
    uuid: newUuid<ClaimUuid>(config.snapshot, random),
    ...({ kind: "removal", job: job as JobId, node: node?.uuid as NodeUuid, disks: [] } as const),
  }));
  await config.change(() => ({
    changes: held.map((object) => ({ kind: "put", type: "claim", object }) as const),
    value: undefined,
  }));
  const secondsNow = Math.floor(clock.wallMicros() / 1e6);
  const rows = new Map<number, unknown[]>([
    [1, ["error", [secondsNow - 40, 0]]],
    [2, ["running", null]],
    // Killed while its operation waits for the answer of a node.
    [4, ["error", [secondsNow - 40, 0]]],
    // Killed just now; its server may not have noticed yet.
    [5, ["error", [secondsNow, 0]]],
  ]);
  const queue = {
    query: async ([id]: readonly number[]) => [rows.get(id ?? 0)],
    handles: (id: number) => id === 4,
  } as Pick<JobQueue, "query" | "handles">;
  const notified: unknown[] = [];
  const tell = (what: unknown) => void notified.push(what);
  const log: ClusterLog = { info: tell, warn: tell, error: tell };
  const stop = keepRecovering({
    config,
    queue,
    log,
    clock,
    lease: "1:1",
    lateCallsMs: 30_000,
    nodes: {} as NodeBackend,
  });
  await expect.poll(() => notified).toHaveLength(1);
  stop();
  const left = new Set([...config.snapshot.claims()].map(({ uuid }) => uuid));
  expect(left).toEqual(new Set([held[1]?.uuid, held[3]?.uuid, held[4]?.uuid]));
  const given = [held[0]?.uuid, held[2]?.uuid];
  expect(new Set((notified[0] as { dropped: string[] }).dropped)).toEqual(new Set(given));
});

test("a dead worker is refused first, then waited for until its calls have ended", async () => {
  const store = createMemoryStore();
  const nodes = [{ name: "node1.example.com", primary_ip: "192.0.2.1" }];
  const clusterName = "cluster.example.com";
  await createConfiguration(store, initialConfiguration({ clusterName, nodes, random, now: 1 }));
  const config = await Configuration.open(store, { clock, random });
  const steps: string[] = [];
  let end = () => {};
  const refusing = {
    refuse: async (lease: string) => void steps.push(`refused ${lease}`),
  } as unknown as RefusingNodes;
  const log: ClusterLog = { info() {}, warn: () => void steps.push("given on"), error() {} };
  const takers = takersOf(
    refusing,
    { config, nodes: {} as NodeBackend, lease: "2:1", log },
    (lease) => {
      steps.push(`calls of ${lease}`);
      return new Promise((resolve) => {
        end = resolve;
      });
    },
  );
  const refused = takers.refuse("1:1", []);
  await new Promise((resolve) => setImmediate(resolve));
  expect(steps).toEqual(["refused 1:1", "calls of 1:1"]);
  end();
  await refused;
  expect(steps).toEqual(["refused 1:1", "calls of 1:1", "given on"]);
});

// The server that comes after one that died.
import { type Configuration, createMemoryStore } from "@ganeti-ts/config";
import { type NodeBackend, sparingOfflineNodes } from "@ganeti-ts/node-calls";
import { type Clock, type JsonObject, type NodeUuid, systemClock } from "@ganeti-ts/protocol";
import { Fuse } from "@ganeti-ts/testkit/simulation";
import { recoverHeld } from "../../src/recovery.js";
import { copiesOf, type Ground, type SimulatedCluster, simulatedCluster } from "./simulated.js";

/** Its clock: calls of jobs that died cannot reach a node any more. */
export const aMinuteLater: Clock = {
  ...systemClock,
  wallMicros: () => systemClock.wallMicros() + 60_000_000,
};

/** Recovery of all jobs, as over. */
export const recoverAll = (config: Configuration, nodes: NodeBackend) =>
  recoverHeld(
    { config, nodes, lease: "9:1", signal: new AbortController().signal },
    async () => true,
  );

/** The nodes as a server calls them: those that are offline are not called. */
export const reached = ({ config, simulated }: SimulatedCluster): NodeBackend =>
  sparingOfflineNodes(
    simulated,
    (uuid) => config.snapshot.node(uuid as NodeUuid)?.offline === true,
  );

/** Takes a node of the cluster out of service, or back into it. */
export async function setOffline(
  cluster: SimulatedCluster,
  name: string,
  offline: boolean,
): Promise<void> {
  const op = { OP_ID: "OP_NODE_SET_PARAMS", node_name: name, offline };
  const { status, result } = await cluster.run(op);
  if (status !== "success") throw new Error(JSON.stringify(result));
}

/** The life of a server with two simulated nodes, which ends at an effect of its last job. */
export interface Life {
  before(cluster: SimulatedCluster): Promise<void>;
  /** Injects faults into the calls of the last job. */
  readonly damage?: (cluster: SimulatedCluster) => void;
  /** That job. */
  readonly opcode: JsonObject;
}

/** The cluster after the death of its server at an effect of the job; undefined if it has no such effect. */
async function afterDeath(
  { store, simulated }: Ground,
  { damage, opcode }: Life,
  fuse: Fuse,
): Promise<SimulatedCluster | undefined> {
  const between = (nodes: NodeBackend) => fuse.nodes(nodes);
  const doomed = await simulatedCluster({ simulated, seed: 2, store: fuse.store(store), between });
  damage?.(doomed);
  const ran = doomed.run(opcode).then(() => false);
  const isDead = await Promise.race([fuse.over.then(() => true), ran]);
  doomed.die();
  return isDead ? simulatedCluster({ simulated, seed: 3, store, clock: aMinuteLater }) : undefined;
}

/** Clusters after deaths at all effects, each with the place of the death. */
export async function* deaths(
  life: Life,
  places: readonly ("before" | "after")[] = ["before", "after"],
): AsyncIterable<readonly [SimulatedCluster, string]> {
  const store = createMemoryStore();
  const first = await simulatedCluster({ store });
  await life.before(first);
  first.die();
  const copied = await copiesOf(first, store);
  for (const when of places) {
    for (let at = 1; ; at++) {
      const next = await afterDeath(await copied(), life, new Fuse(at, when));
      if (next === undefined) break;
      yield [next, `${when} effect ${at}`];
      next.die();
    }
  }
}

// Benchmark of storing the state of simulated nodes. `--record COMMIT` writes nodes-baseline.json.
//
// | figure | calls a second that change a node with 20 volumes |
// |---|---|
// | inMemory | kept nowhere else |
// | inFile | kept in SQLite, for one process |
// | inSharedFile | kept in SQLite, as if other processes shared it |
// | inPostgres | kept in PostgreSQL; one turn of all servers for each call |
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@ganeti-ts/protocol";
import { type NodeStates, nodeStatesInMemory, SimulatedNodes } from "@ganeti-ts/simulated-nodes";
import { openPostgresNodeStates } from "@ganeti-ts/store/postgres";
import { openSqliteNodeStates } from "@ganeti-ts/store/sqlite";
import { programs, startPostgres } from "@ganeti-ts/testkit/postgres";
import { helpIfAsked, recordIfAsked, rounded } from "../../../tooling/bench.js";

helpIfAsked("bench/nodes.bench.ts");

const caller = { lease: "1:1", signal: new AbortController().signal };
const disk = (name: string) => ({
  uuid: name,
  dev_type: "plain" as const,
  logical_id: ["xenvg", name],
  size: 1024,
});

async function callsPerSecond(states: NodeStates, count: number): Promise<number> {
  const name = "node1.example.com";
  const nodes = await SimulatedNodes.open({ clock: systemClock, hosts: [{ name }], states });
  await nodes.introduce({ uuid: "n1", name, primaryIp: "192.0.2.1", secondaryIp: "192.0.2.1" });
  const create = (volume: string) => {
    const made = { disk: disk(volume), sizeMib: 1024, owner: "web", onPrimary: true };
    const args = { ...made, info: "", exclusiveStorage: false };
    return nodes.call("n1", "blockdev_create", args, caller);
  };
  for (let number = 0; number < 20; number++) await create(`volume${number}`);
  const start = performance.now();
  for (let number = 0; number < count / 2; number++) {
    const { ok } = await create("more");
    if (!ok) throw new Error("not made");
    await nodes.call("n1", "blockdev_remove", { disk: disk("more") }, caller);
  }
  return rounded((count / (performance.now() - start)) * 1000);
}

const folder = mkdtempSync(join(tmpdir(), "nodes-bench-"));
const own = openSqliteNodeStates(join(folder, "own.db"));
const shared = openSqliteNodeStates(join(folder, "shared.db"), { shared: true });
const calls: Record<string, number> = {
  inMemory: await callsPerSecond(nodeStatesInMemory(), 10_000),
  inFile: await callsPerSecond(own, 10_000),
  inSharedFile: await callsPerSecond(shared, 10_000),
};
await own.close();
await shared.close();
rmSync(folder, { recursive: true });
if (programs !== undefined) {
  const server = await startPostgres();
  const states = await openPostgresNodeStates({ connection: server.connection });
  calls.inPostgres = await callsPerSecond(states, 1000);
  await states.close();
  await server.stop();
}
console.log(JSON.stringify(calls));

recordIfAsked("bench/nodes-baseline.json", { calls });

// Time for the answer to a query. `--record COMMIT` writes baseline.json.
//
// | series | one query is |
// |---|---|
// | respond, role | a query for a node's role, read, answered and signed, without a socket |
// | respond, ip | the primary node's address of an instance's address |
// | respond, instances | a node with all its instances, as long as fits into a datagram |
// | loopback, one at a time | a query for a role over UDP, sent when the one before is answered |
// | loopback, 32 at a time | the same with 32 queries under way |
import { initialConfiguration, randomUuid, Snapshot } from "@ganeti-ts/config";
import { type InstanceObject, systemClock } from "@ganeti-ts/protocol";
import { Dice } from "@ganeti-ts/testkit/simulation";
import { helpIfAsked, recordIfAsked } from "../../../tooling/bench.js";
import {
  type ConfdRequest,
  connectConfdClient,
  createConfdServer,
  newConfdKey,
  respondTo,
  writeConfdQuery,
} from "../src/index.js";

helpIfAsked("bench/queries.bench.ts");

const key = newConfdKey();
const clock = systemClock;

/** Ten instances for each node, one address each on the default link. */
function clusterOf(nodeCount: number): Snapshot {
  const random = new Dice(1);
  const nodes = Array.from({ length: nodeCount }, (_, n) => ({
    name: `node${n}.example.com`,
    primary_ip: `10.1.${n >> 8}.${n & 255}`,
  }));
  const content = initialConfiguration({
    clusterName: "cluster.example.com",
    nodes,
    random,
    now: 1_700_000_000,
    cluster: { master_ip: "10.0.0.1" },
  });
  const instances = Array.from({ length: nodeCount * 10 }, (_, n) => ({
    uuid: randomUuid(random),
    name: `i${n}.example.com`,
    os: "noop",
    hypervisor: "kvm",
    primary_node: content.nodes[n % nodeCount]?.uuid,
    admin_state: "up",
    tags: [],
    disks: [],
    hvparams: {},
    beparams: {},
    osparams: {},
    osparams_private: {},
    disks_active: true,
    admin_state_source: "admin",
    serial_no: 1,
    nics: [
      {
        uuid: randomUuid(random),
        mac: "aa:00:00:00:00:00",
        nicparams: {},
        ip: `10.2.${n >> 8}.${n & 255}`,
      },
    ],
  }));
  return Snapshot.of({ ...content, instances: instances as unknown as InstanceObject[] });
}

const rounded = (value: number) => Number(value.toPrecision(3));

function responses(now: Snapshot, request: ConfdRequest): object {
  const { type, query = null } = request;
  const nowSeconds = Date.now() / 1000;
  const datagram = writeConfdQuery({ type, query, rsalt: "bench" }, { key, nowSeconds });
  const source = { snapshot: () => now, key, clock };
  const respond = () => {
    const response = respondTo(datagram, source);
    if (response.kind !== "answer" || response.outcome.status !== 0) throw new Error("no answer");
    return response.datagram.length;
  };
  for (let round = 0; round < 200; round++) respond();
  let count = 0;
  const start = performance.now();
  while (performance.now() - start < 500) {
    respond();
    count++;
  }
  const ms = performance.now() - start;
  return { microseconds: rounded((ms * 1000) / count), bytes: respond() };
}

async function loopback(now: Snapshot, atOnce: number): Promise<object> {
  const options = { snapshot: () => now, key, clock, address: "127.0.0.1", port: 0 };
  const server = await createConfdServer(options);
  const client = await connectConfdClient({ key, peers: ["127.0.0.1"], port: server.bound.port });
  const latencies: number[] = [];
  let lost = 0;
  const worker = async (until: number) => {
    while (performance.now() < until) {
      const start = performance.now();
      const result = await client.ask({ type: 1, query: "node1.example.com" }, { timeoutMs: 1000 });
      if (result.timedOut) lost++;
      else latencies.push(performance.now() - start);
    }
  };
  const workers = (ms: number) =>
    Promise.all(Array.from({ length: atOnce }, () => worker(performance.now() + ms)));
  await workers(300);
  latencies.length = 0;
  const start = performance.now();
  await workers(2000);
  const seconds = (performance.now() - start) / 1000;
  await client.close();
  await server.close();
  if (latencies.length < 100) throw new Error(`${latencies.length} answers`);
  latencies.sort((a, b) => a - b);
  const quantile = (q: number) => rounded(latencies[Math.floor(latencies.length * q)] as number);
  const rate = Math.round(latencies.length / seconds);
  return { perSecond: rate, p50Ms: quantile(0.5), p99Ms: quantile(0.99), lost };
}

const figures: Record<string, object> = {};
for (const nodeCount of [20, 200, 2000]) {
  const now = clusterOf(nodeCount);
  figures[`${nodeCount} nodes`] = {
    "respond, role": responses(now, { type: 1, query: "node1.example.com" }),
    "respond, ip": responses(now, { type: 2, query: { "1": "10.2.0.7" } }),
    "respond, instances": responses(now, { type: 8, query: "node1.example.com" }),
    "loopback, one at a time": await loopback(now, 1),
    "loopback, 32 at a time": await loopback(now, 32),
  };
}
console.log(JSON.stringify(figures, null, 2));
recordIfAsked("bench/baseline.json", figures);

// Does a change of the configuration cost more in a larger cluster? `--record COMMIT` writes
// config-baseline.json.
//
// | figure | what it is |
// |---|---|
// | openMs | a process opens the store and has its snapshot |
// | tagUs | a tag of one instance, durable; median |
// | tagsPerSecond | changes by 16 at a time, which share commits |
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ConfigStore,
  Configuration,
  type ConfigurationContent,
  createConfiguration,
  initialConfiguration,
  randomUuid,
} from "@ganeti-ts/config";
import { InstanceUuid, type RealInstance, secureRandom } from "@ganeti-ts/protocol";
import { openPostgresConfigStore } from "@ganeti-ts/store/postgres";
import { openSqliteConfigStore } from "@ganeti-ts/store/sqlite";
import { programs, startPostgres } from "@ganeti-ts/testkit/postgres";
import { helpIfAsked, recordIfAsked, rounded } from "../../../tooling/bench.js";

helpIfAsked("bench/config.bench.ts");

const ports = { clock: { wallMicros: () => Date.now() * 1000 }, random: secureRandom };

/** Twenty instances per node, without disks. */
function clusterOf(instanceCount: number): ConfigurationContent {
  const content = initialConfiguration({
    clusterName: "cluster.example.com",
    nodes: Array.from({ length: Math.ceil(instanceCount / 20) }, (_, i) => ({
      name: `node${i}.example.com`,
      primary_ip: `10.0.${i >> 8}.${i & 255}`,
    })),
    random: secureRandom,
    now: 1,
  });
  const instances = Array.from({ length: instanceCount }, (_, i): RealInstance => {
    const node = content.nodes[i % content.nodes.length];
    if (node === undefined) throw new Error("there are nodes");
    return {
      uuid: InstanceUuid.parse(randomUuid(secureRandom)),
      name: `instance${i}.example.com`,
      primary_node: node.uuid,
      os: "debian",
      hypervisor: "kvm",
      admin_state: "up",
      hvparams: {},
      osparams: {},
      osparams_private: {},
      admin_state_source: "admin",
      beparams: { maxmem: 1024 },
      disks_active: true,
      disks: [],
      nics: [],
      tags: [],
      serial_no: 1,
      ctime: 1,
      mtime: 1,
    };
  });
  return { ...content, instances };
}

async function figuresOf(open: () => Promise<ConfigStore>, instanceCount: number) {
  const first = await open();
  await createConfiguration(first, clusterOf(instanceCount));
  await first.close();
  const start = performance.now();
  const store = await open();
  const configuration = await Configuration.open(store, ports);
  const openMs = performance.now() - start;
  const tag = (i: number) =>
    configuration.change((now) => {
      const found = now.expectInstance(`instance${i % instanceCount}.example.com`);
      const object = { ...found, tags: [`t${i}`] };
      return { changes: [{ kind: "put", type: "instance", object }], value: 0 };
    });
  const times: number[] = [];
  for (let i = 0; i < 500; i++) {
    const begun = performance.now();
    await tag(i);
    times.push(performance.now() - begun);
  }
  const count = 2000;
  const before = performance.now();
  let next = 1000;
  const one = async () => {
    while (next < 1000 + count) await tag(next++);
  };
  await Promise.all(Array.from({ length: 16 }, one));
  const seconds = (performance.now() - before) / 1000;
  const { snapshot } = configuration;
  await store.close();
  const again = await open();
  const kept = (await Configuration.open(again, ports)).snapshot;
  await again.close();
  if (kept.serial !== snapshot.serial) throw new Error("a change is lost");
  return {
    openMs: rounded(openMs),
    tagUs: rounded(1000 * (times.sort((a, b) => a - b)[times.length >> 1] ?? 0)),
    tagsPerSecond: rounded(count / seconds),
  };
}

const results: Record<string, Awaited<ReturnType<typeof figuresOf>>> = {};
const sizes = [20, 2000, 20_000];
const folder = mkdtempSync(join(tmpdir(), "config-"));
for (const size of sizes) {
  const path = join(folder, `${size}.db`);
  results[`SQLite, ${size}`] = await figuresOf(async () => openSqliteConfigStore(path), size);
}
rmSync(folder, { recursive: true });
if (programs !== undefined) {
  const server = await startPostgres({ durable: true });
  const { connection } = server;
  for (const size of sizes) {
    const schema = `size_${size}`;
    const open = () => openPostgresConfigStore({ connection, schema });
    results[`PostgreSQL, ${size}`] = await figuresOf(open, size);
  }
  await server.stop();
}
console.table(results);

recordIfAsked("bench/config-baseline.json", { results });

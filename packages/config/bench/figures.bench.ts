// Benchmark of a configuration by size of the cluster. `--record COMMIT` writes baseline.json.
//
// | figure | meaning |
// |---|---|
// | loadMs | objects to a snapshot with its index |
// | heapMib | what objects and index take |
// | tagUs | a tag of one instance, through `Configuration.change` on the store in memory; median |
// | addUs | an instance with its disk, the same way; median |
// | faultsMs | all consistency checks of everything |
// | findUs, reservedUs | an instance by the beginning of its name; what is reserved on a node |
// | readMs, writeMs | `config.data` in and out |
import {
  type ConfigChange,
  Configuration,
  consistencyFaults,
  createConfiguration,
  createMemoryStore,
  randomUuid,
  readConfigFile,
  reservedOn,
  Snapshot,
  writeConfigFile,
} from "@ganeti-ts/config";
import { helpIfAsked, recordIfAsked } from "../../../tooling/bench.js";
import { seeded } from "../test/cluster.js";
import { clusterOf } from "./clusters.js";

helpIfAsked("bench/figures.bench.ts");

const rounded = (value: number) => Number(value.toPrecision(3));

/** Best of a few, in milliseconds. */
function bestMs(times: number, work: () => unknown): number {
  let best = Infinity;
  for (let i = 0; i < times; i++) {
    const start = performance.now();
    work();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

async function medianUs(times: number, work: (i: number) => Promise<unknown>): Promise<number> {
  const all: number[] = [];
  for (let i = 0; i < times; i++) {
    const start = performance.now();
    await work(i);
    all.push(performance.now() - start);
  }
  return 1000 * (all.sort((a, b) => a - b)[times >> 1] ?? 0);
}

async function figuresOf(instanceCount: number) {
  const content = clusterOf(instanceCount);
  const text = writeConfigFile(content);
  const options = { random: seeded(1), now: 1 };
  const readMs = bestMs(3, () => readConfigFile(text, options));
  const writeMs = bestMs(3, () => writeConfigFile(content));
  const loadMs = bestMs(3, () => Snapshot.of(content));
  // There with --expose-gc.
  global.gc?.();
  const heapBefore = process.memoryUsage().heapUsed;
  const kept = Snapshot.of(
    (JSON.parse(JSON.stringify({ content })) as { content: typeof content }).content,
  );
  global.gc?.();
  const heapMib = (process.memoryUsage().heapUsed - heapBefore) / 2 ** 20;
  if (consistencyFaults(kept).length > 0) throw new Error(consistencyFaults(kept)[0]);
  const faultsMs = bestMs(2, () => consistencyFaults(kept));

  const store = createMemoryStore();
  await createConfiguration(store, content);
  const clock = { wallMicros: () => Date.now() * 1000 };
  const configuration = await Configuration.open(store, { clock, random: seeded(2) });
  configuration.onChange(({ faults }) => {
    if (faults.length > 0) throw new Error(faults[0]);
  });
  const times = 1000;
  const tagUs = await medianUs(times, (i) =>
    configuration.change((now) => {
      const found = now.expectInstance(`instance${i % instanceCount}.example.com`);
      const object = { ...found, tags: [`t${i}`] };
      return { changes: [{ kind: "put", type: "instance", object }], value: 0 };
    }),
  );
  const random = seeded(3);
  const addUs = await medianUs(times, (i) =>
    configuration.change((now) => {
      const [instance, disk] = [content.instances[0], content.disks[0]];
      const [uuid, diskUuid] = [randomUuid(random), randomUuid(random)];
      const changes = [
        {
          kind: "put",
          type: "instance",
          object: { ...instance, uuid, name: `new${i}.example.org`, disks: [diskUuid], nics: [] },
        },
        {
          kind: "put",
          type: "disk",
          object: {
            ...disk,
            uuid: diskUuid,
            dev_type: "plain",
            children: [],
            logical_id: ["xenvg", `new${i}`],
            nodes: instance?.primary_node ? [instance.primary_node] : [],
          },
        },
      ] as unknown as ConfigChange[];
      return { changes, value: now.serial };
    }),
  );
  const { snapshot } = configuration;
  if (snapshot.instanceCount !== instanceCount + times) throw new Error("instances are missing");
  const node = content.nodes[1]?.uuid;
  if (node === undefined) throw new Error("there are nodes");
  const many = 10_000;
  const findUs = bestMs(2, () => {
    for (let i = 0; i < many; i++) snapshot.expectInstance(`instance${i % instanceCount}`);
  });
  const reservedUs = bestMs(2, () => {
    for (let i = 0; i < many / 100; i++) reservedOn(snapshot, node);
  });
  return {
    loadMs,
    heapMib,
    tagUs,
    addUs,
    faultsMs,
    readMs,
    writeMs,
    findUs: (1000 * findUs) / many,
    reservedUs: (1000 * reservedUs) / (many / 100),
  };
}

const results: Record<string, Record<string, number>> = {};
for (const count of [20, 2000, 20_000]) {
  const figures = await figuresOf(count);
  results[count] = Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [name, rounded(value)]),
  );
}
console.table(results);

recordIfAsked("bench/baseline.json", { results });

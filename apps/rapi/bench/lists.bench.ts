// Benchmark: cost of the remote API's list of all instances. `--record COMMIT` writes lists-baseline.json.
//
// Milliseconds of processor time, garbage collection included.
//
// | figure | what it is |
// |---|---|
// | firstMs | nothing is kept yet |
// | sameMs | the same snapshot once more |
// | oneChangedMs | one instance has changed since; median of 20 |
// | clusterChangedMs | a default that all instances show has changed |
// | bytes | length of the list |

import type { LiveData } from "@ganeti-ts/cluster-queries";
import { initialConfiguration, Snapshot } from "@ganeti-ts/config";
import type { DiskObject, DiskUuid, InstanceObject, InstanceUuid } from "@ganeti-ts/protocol";
import { helpIfAsked, recordIfAsked } from "../../../tooling/bench.js";
import { RapiTexts } from "../src/lists/rapi-texts.js";

helpIfAsked("bench/lists.bench.ts");

let seed = 1;
const random = {
  fraction: () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  },
};

const uuid = (kind: number, at: number) =>
  `0000000${kind}-0000-4000-8000-${String(at).padStart(12, "0")}`;

/** With ten instances on each node. */
function snapshotWith(instancesCount: number): Snapshot {
  const nodesCount = Math.max(3, instancesCount / 10);
  const content = initialConfiguration({
    clusterName: "cluster.example.com",
    nodes: Array.from({ length: nodesCount }, (_, at) => ({
      name: `node${at}.example.com`,
      primary_ip: `10.0.${at >> 8}.${at & 255}`,
    })),
    random,
    now: 1_700_000_000,
  });
  const stamps = { serial_no: 1, ctime: 1_700_000_000.25, mtime: 1_700_000_000.25 };
  const disks: DiskObject[] = [];
  const instances = Array.from({ length: instancesCount }, (_, at): InstanceObject => {
    const primary = content.nodes[at % nodesCount]?.uuid as never;
    const secondary = content.nodes[(at * 7 + 1) % nodesCount]?.uuid as never;
    const disk: DiskObject = {
      uuid: uuid(2, at) as DiskUuid,
      dev_type: "drbd",
      size: 10_240,
      iv_name: "disk/0",
      mode: "rw",
      children: [],
      logical_id: [primary, secondary, 11_000 + at, 0, 0, "secret"],
      nodes: [primary, secondary],
      ...stamps,
    };
    disks.push(disk);
    return {
      uuid: uuid(1, at) as InstanceUuid,
      forthcoming: false,
      name: `web${at}.example.com`,
      primary_node: primary,
      os: "debian+default",
      hypervisor: "kvm",
      hvparams: {},
      beparams: { maxmem: 1024, minmem: 512 },
      osparams: {},
      osparams_private: {},
      admin_state: "up",
      admin_state_source: "admin",
      disks_active: true,
      disks: [disk.uuid],
      nics: [{ uuid: uuid(3, at), mac: "aa:00:00:00:00:01", nicparams: {} }],
      tags: [],
      ...stamps,
    };
  });
  return Snapshot.of({ ...content, instances, disks });
}

const live: LiveData = {
  node: () => ({ ok: false, offline: false, message: "not asked" }),
  instance: () => ({
    ok: true,
    value: {
      found: { hypervisor: "kvm", memoryMib: 1024, vcpus: 1, state: "running", cpuSeconds: 0 },
      onPrimary: true,
    },
  }),
  console: () => undefined,
};

function figuresOf(instancesCount: number) {
  let now = snapshotWith(instancesCount);
  const texts = new RapiTexts();
  // Processor time, so that busy neighbours do not count.
  const timed = () => {
    const start = process.cpuUsage();
    const parts = texts.list("instance", now, live);
    const { user, system } = process.cpuUsage(start);
    return { ms: (user + system) / 1000, parts };
  };
  const first = timed();
  const listed = shownIn(first.parts, '"forthcoming":');
  if (listed !== instancesCount) throw new Error(`${listed} instances are listed`);
  const same = timed();
  const changed = Array.from({ length: 20 }, (_, at) => {
    const instance = now.expectInstance(`web${(at * 13) % instancesCount}.example.com`);
    const object = { ...instance, tags: [`changed${at}`] } as InstanceObject;
    now = now.with([{ kind: "put", type: "instance", object }], { serial: at + 2, mtime: 1 });
    const { ms, parts } = timed();
    if (shownIn(parts, `"changed${at}"`) !== 1) throw new Error("the change is not shown");
    return ms;
  }).sort((a, b) => a - b);
  const beparams = { default: { ...now.cluster.beparams.default, vcpus: 2 } };
  now = now.with([{ kind: "cluster", object: { ...now.cluster, beparams } }], {
    serial: 99,
    mtime: 1,
  });
  const all = timed();
  return {
    firstMs: rounded(first.ms),
    sameMs: rounded(same.ms),
    oneChangedMs: rounded(changed[10] as number),
    clusterChangedMs: rounded(all.ms),
    bytes: first.parts.reduce((sum, { length }) => sum + length, 0),
  };
}

/** How often a text is in parts of a list; each part is some whole objects. */
const shownIn = (parts: readonly Uint8Array[], text: string): number =>
  parts.reduce((sum, part) => sum + Buffer.from(part).toString().split(text).length - 1, 0);

const rounded = (value: number) => Number(value.toPrecision(3));

const results = Object.fromEntries(
  [6, 1000, 10_000, 100_000].map((count) => [count, figuresOf(count)]),
);
console.table(results);

recordIfAsked("bench/lists-baseline.json", { results });

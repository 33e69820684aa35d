// Property: any accepted reservation becomes real once its missing values are given.
import { defaultPolicy, newAddressPool } from "@ganeti-ts/config";
import { type JsonObject, NetworkUuid } from "@ganeti-ts/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type SimulatedCluster, simulatedCluster } from "./support/simulated.js";

const templates = ["plain", "drbd", "file", "sharedfile", "ext", "diskless", "blockdev"] as const;

/** Objects with any subset of these keys. */
const some = (keys: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<JsonObject> =>
  fc
    .tuple(
      fc.record(keys),
      fc.record(Object.fromEntries(Object.keys(keys).map((key) => [key, fc.boolean()]))),
    )
    .map(([all, isThere]) =>
      Object.fromEntries(Object.entries(all).filter(([key]) => isThere[key])),
    )
    .map((given) => given as JsonObject);

/** Usually a valid value, sometimes one that is refused. */
const mostly = <T>(good: readonly T[], bad: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...good) },
    { weight: 1, arbitrary: fc.constantFrom(...bad) },
  );

const disk = some({
  size: fc.constantFrom(1024, 2048),
  mode: fc.constantFrom("rw", "ro"),
  vg: fc.constantFrom("xenvg", "other"),
  metavg: fc.constant("other"),
});
const extDisk = some({ size: fc.constant(1024), tier: fc.constant("fast") }).map((given) => ({
  provider: "cloud",
  ...given,
}));
const nic = mostly<JsonObject>(
  [
    ...[{}, { link: "br9" }, { ip: "192.0.2.77", mode: "routed" }],
    ...[{ network: "net" }, { network: "net", ip: "pool" }, { mac: "aa:00:00:00:00:01" }],
  ],
  [{ mode: "routed" }],
);
const disks = fc.oneof(
  some({ disk_template: fc.constant("ext"), disks: fc.array(extDisk, { maxLength: 2 }) }),
  some({
    disk_template: mostly(["plain", "drbd", "file", "sharedfile", "diskless"], ["blockdev"]),
    disks: fc.array(disk, { maxLength: 2 }),
  }),
);
const others = some({
  instance_name: fc.constant("web1.example.com"),
  os_type: mostly(["noop+default"], ["banned"]),
  hypervisor: mostly(["kvm", "xen-pvm"], ["lxc"]),
  hvparams: mostly<JsonObject>(
    [{ kernel_path: "/boot/kernel" }, { disk_cache: "none" }, { use_bootloader: true }],
    [{ disk_cache: "none", use_bootloader: true }, { migration_port: 8102 }],
  ),
  beparams: some({
    maxmem: fc.constantFrom(256, 512),
    minmem: mostly([128, 256], [512]),
    vcpus: fc.constantFrom(1, 2),
    spindle_use: fc.constantFrom(1, 2),
  }),
  nics: fc.array(nic, { maxLength: 2 }),
  pnode: mostly(["node1", "node3"], ["node4"]),
  snode: fc.constant("node2"),
  tags: fc.constant(["kept"]),
  file_storage_dir: fc.constant("below"),
});
const wanted = fc.tuple(others, disks).map((parts): JsonObject => Object.assign({}, ...parts));

/** The ways in which the missing values are given. */
const manner = fc.record({ givesNics: fc.boolean(), modifiesDisks: fc.boolean() });
const policy = fc.constantFrom(
  ...[
    { nics: 0, disks: 1 },
    { nics: 1, disks: 1 },
    { nics: 2, disks: 2 },
  ],
);

const network = {
  uuid: NetworkUuid.parse("22222222-2222-4222-8222-222222222222"),
  name: "net",
  network: "198.51.100.0/24",
  tags: [],
  ...newAddressPool("198.51.100.0/24"),
};

async function stage(): Promise<SimulatedCluster> {
  const cluster = await simulatedCluster({
    nodeCount: 4,
    host: {
      bridges: ["xen-br0", "br9"],
      volumeGroups: { xenvg: { "/dev/sda": 60_000 }, other: { "/dev/sdb": 60_000 } },
      extStorage: ["cloud"].map((name) => ({
        name,
        path: `/srv/${name}`,
        valid: true,
        fault: "",
        parameters: [],
      })),
    },
    cluster: {
      enabled_disk_templates: [...templates],
      file_storage_dir: "/srv/files",
      shared_file_storage_dir: "/srv/shared",
      enabled_hypervisors: ["kvm", "xen-pvm"],
      blacklisted_os: ["banned"],
    },
  });
  const { snapshot: now } = cluster.config;
  const [group] = now.groups();
  const node4 = now.expectNode("node4");
  if (group === undefined) throw new Error("there is a group");
  const params = { mode: "bridged", link: "br9", vlan: "" } as const;
  await cluster.put(
    { kind: "put", type: "network", object: network },
    { kind: "put", type: "group", object: { ...group, networks: { [network.uuid]: params } } },
    { kind: "put", type: "node", object: { ...node4, offline: true, master_candidate: false } },
  );
  return cluster;
}

async function withPolicy(
  cluster: SimulatedCluster,
  { nics, disks }: typeof policy extends fc.Arbitrary<infer P> ? P : never,
) {
  const { cluster: before } = cluster.config.snapshot;
  const ipolicy = defaultPolicy(templates);
  const minmax = ipolicy.minmax.map(({ min, max }) => ({
    min: { ...min, "nic-count": nics, "disk-count": disks },
    max,
  }));
  await cluster.put({ kind: "cluster", object: { ...before, ipolicy: { ...ipolicy, minmax } } });
}

test("any reservation becomes real once its missing values are given", async () => {
  const cluster = await stage();
  const { run, config } = cluster;
  const seen = { real: 0, refused: 0, unplaced: 0, unnamed: 0, diskless: 0, withoutNics: 0 };
  const done = async (OP_ID: string, instance_name: string, more: JsonObject) => {
    const { status, result } = await run({ OP_ID, instance_name, ...more });
    expect(status, `${OP_ID} ${JSON.stringify(result)}`).toBe("success");
  };
  await fc.assert(
    fc.asyncProperty(wanted, manner, policy, async (given, { givesNics, modifiesDisks }, least) => {
      await withPolicy(cluster, least);
      const made = await run({ OP_ID: "OP_INSTANCE_CREATE", forthcoming: true, ...given });
      if (made.status !== "success") {
        seen.refused++;
        return;
      }
      const uuid = String(made.result);
      const now = config.snapshot;
      const stored = now.expectInstance(uuid);
      const disks = now.disksOf(stored);
      if (stored.name === undefined) {
        seen.unnamed++;
        await done("OP_INSTANCE_RENAME", uuid, { new_name: "named.example.com" });
      }
      const isMirrored = disks.some(({ dev_type }) => dev_type === "drbd");
      const isPlaced = stored.primary_node !== undefined;
      const sized = disks.map((one) => (one.size ? {} : { size: 1024 }));
      const isHalf = isMirrored && disks.some(({ logical_id }) => logical_id === undefined);
      if (!isPlaced) seen.unplaced++;
      if (!isPlaced || isHalf || modifiesDisks) {
        const mods = sized.flatMap((size, at) => ("size" in size ? [["modify", at, size]] : []));
        const remote_node = isMirrored && !isPlaced ? "node2" : undefined;
        const place = isPlaced ? {} : { pnode: "node1" };
        const rest = isHalf && isPlaced ? { remote_node: "node2" } : {};
        const change = {
          disks: mods,
          ...place,
          ...rest,
          ...(remote_node === undefined ? {} : { remote_node }),
        };
        if (mods.length > 0 || Object.keys(change).length > 1) {
          await done("OP_INSTANCE_SET_PARAMS", uuid, change);
        }
      }
      const isXen = Object.hasOwn(stored.hvparams ?? {}, "use_bootloader");
      const enough = Math.max(least.disks, disks.length);
      const lacksDisks = disks.length < least.disks && (disks.length > 0 || modifiesDisks);
      if (disks.length === 0 && !lacksDisks) seen.diskless++;
      if (stored.nics.length === 0 && !givesNics) seen.withoutNics++;
      await done("OP_INSTANCE_CREATE", uuid, {
        commit: true,
        wait_for_sync: false,
        ...(stored.os === undefined ? { os_type: "noop+default" } : {}),
        ...(stored.hypervisor === undefined ? { hypervisor: isXen ? "xen-pvm" : "kvm" } : {}),
        ...(stored.nics.length === 0 && givesNics ? { nics: Array(least.nics).fill({}) } : {}),
        // A template without disks was asked for, and has to be taken back.
        ...(disks.length === 0 && !lacksDisks ? { disk_template: "diskless" } : {}),
        ...(lacksDisks
          ? {
              ...(disks.length === 0 ? { disk_template: "plain" } : {}),
              disks: Array.from({ length: enough }, (_, at) => sized[at] ?? { size: 1024 }),
            }
          : { ...(modifiesDisks || disks.length === 0 ? {} : { disks: sized }) }),
      });
      seen.real++;
      const real = config.snapshot.expectInstance(uuid);
      expect(real.forthcoming).toBeUndefined();
      expect(real.tags).toEqual(stored.tags);
      expect(real.nics.slice(0, stored.nics.length).map(({ mac }) => mac)).toEqual(
        stored.nics.map(({ mac }) => mac),
      );
      expect(real.nics.length).toBeGreaterThanOrEqual(least.nics);
      if (real.hypervisor === "kvm") expect(real.network_port).toBeDefined();
      for (const { network: of, nicparams } of real.nics) {
        if (of !== undefined) expect(nicparams?.link).toBe("br9");
      }
      await done("OP_INSTANCE_REMOVE", uuid, {});
    }),
    { numRuns: 90, seed: 7, endOnFailure: true },
  );
  for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(5);
});

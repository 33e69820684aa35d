import { createCluster, NewClusterError, NewClusterSettings } from "@ganeti-ts/cluster";
import { type ConfigStore, createMemoryStore } from "@ganeti-ts/config";
import { secureRandom, systemClock } from "@ganeti-ts/protocol";
import { describe, expect, test } from "vitest";
import { newSimulatedCluster, type SimulatedCluster, simulation } from "./simulation.js";

const ensureCluster = (store: ConfigStore, wanted: SimulatedCluster) =>
  createCluster(newSimulatedCluster(wanted), {
    store,
    clock: systemClock,
    random: secureRandom,
    ...simulation(),
  });

const make = async (settings: unknown) => {
  const store = createMemoryStore();
  const isNew = await ensureCluster(store, {
    name: "demo.example.com",
    nodeCount: 2,
    groupCount: 1,
    settings: NewClusterSettings.parse(settings),
  });
  const { serial, rows } = await store.load();
  const documents = (type: string) =>
    [...rows]
      .filter((row) => row.type === type)
      .map(({ document }) => JSON.parse(document ?? "null"));
  return { store, isNew, serial, cluster: documents("cluster")[0], nodes: documents("node") };
};

describe("creation of a simulated cluster", () => {
  test("a new cluster has the given number of nodes if the file names none", async () => {
    const { isNew, nodes } = await make({});
    expect(isNew).toBe(true);
    expect(nodes.map(({ name, primary_ip }) => [name, primary_ip]).sort()).toEqual([
      ["node1.example.com", "192.0.2.1"],
      ["node2.example.com", "192.0.2.2"],
    ]);
  });

  test("a new cluster has the settings of the file, checked as a change would be", async () => {
    const { cluster, nodes } = await make({
      nodes: [{ name: "alpha.example.com", primary_ip: "192.0.2.77" }],
      hypervisors: ["kvm"],
      disk_templates: ["plain"],
      cluster: { volume_group_name: "fast" },
      parameters: { candidate_pool_size: 3, beparams: { maxmem: "2g" } },
    });
    expect(nodes).toMatchObject([{ name: "alpha.example.com", primary_ip: "192.0.2.77" }]);
    expect(cluster).toMatchObject({
      enabled_hypervisors: ["kvm"],
      enabled_disk_templates: ["plain"],
      volume_group_name: "fast",
      candidate_pool_size: 3,
      beparams: { default: { maxmem: 2048, minmem: 128 } },
    });
  });

  test("a new cluster contains the certificates of its candidates, so verification finds no errors", async () => {
    const { cluster, nodes } = await make({ nodes: [{ name: "a.example.com" }] });
    expect(Object.keys(cluster.candidate_certs)).toEqual(nodes.map(({ uuid }) => uuid));
  });

  test("a creation with an invalid parameter stores nothing", async () => {
    const store = createMemoryStore();
    const made = ensureCluster(store, {
      name: "demo.example.com",
      nodeCount: 1,
      groupCount: 1,
      settings: { parameters: { beparams: { minmem: 512 } } },
    });
    await expect(made).rejects.toThrow("minmem (512) must not be larger than maxmem (128)");
    await expect(made).rejects.toBeInstanceOf(NewClusterError);
    expect((await store.load()).serial).toBe(0);
  });

  test.each(["/etc", "/usr/lib/disks", "/dev/shm"])(
    "does not keep disks in %s, which belongs to the system",
    async (directory) => {
      const made = make({ cluster: { file_storage_dir: directory } });
      await expect(made).rejects.toThrow(
        `file_storage_dir must not be a system directory: ${directory}`,
      );
    },
  );

  test("an existing cluster stays unchanged when its creation is requested again", async () => {
    const { store, serial } = await make({});
    const again = await ensureCluster(store, {
      name: "other.example.com",
      nodeCount: 9,
      groupCount: 1,
      settings: {},
    });
    expect(again).toBe(false);
    expect((await store.load()).serial).toBe(serial);
  });
});

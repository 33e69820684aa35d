import { createMemoryStore } from "@ganeti-ts/config";
import { systemClock } from "@ganeti-ts/protocol";
import { describe, expect, test } from "vitest";
import { ensureCluster } from "./new-cluster.js";
import { NewClusterError, NewClusterFile } from "./new-cluster-file.js";

const make = async (file: unknown) => {
  const store = createMemoryStore();
  const isNew = await ensureCluster(store, systemClock, {
    ...{ name: "demo.example.com", nodeCount: 2, groupCount: 1, allocatorPath: [] },
    file: NewClusterFile.parse(file),
  });
  const { serial, rows } = await store.load();
  const documents = (type: string) =>
    rows.filter((row) => row.type === type).map(({ document }) => JSON.parse(document ?? "null"));
  return { store, isNew, serial, cluster: documents("cluster")[0], nodes: documents("node") };
};

describe("a cluster that is made of nothing", () => {
  test("has the nodes that the command line counts, where the file names none", async () => {
    const { isNew, nodes } = await make({});
    expect(isNew).toBe(true);
    expect(nodes.map(({ name, primary_ip }) => [name, primary_ip]).sort()).toEqual([
      ["node1.example.com", "192.0.2.1"],
      ["node2.example.com", "192.0.2.2"],
    ]);
  });

  test("has what the file says, filled in and typed as a change of the cluster would be", async () => {
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

  test("knows the certificates of its master candidates, so that verification finds nothing", async () => {
    const { cluster, nodes } = await make({ nodes: [{ name: "a.example.com" }] });
    expect(Object.keys(cluster.candidate_certs)).toEqual(nodes.map(({ uuid }) => uuid));
  });

  test("is not there at all if one of its parameters is refused", async () => {
    const store = createMemoryStore();
    const made = ensureCluster(store, systemClock, {
      ...{ name: "demo.example.com", nodeCount: 1, groupCount: 1, allocatorPath: [] },
      file: { parameters: { beparams: { minmem: 512 } } },
    });
    await expect(made).rejects.toThrow("minmem (512) must not be larger than maxmem (128)");
    await expect(made).rejects.toBeInstanceOf(NewClusterError);
    expect((await store.load()).serial).toBe(0);
  });

  test("stays as it is when it is asked for again", async () => {
    const { store, serial } = await make({});
    const again = await ensureCluster(store, systemClock, {
      ...{ name: "other.example.com", nodeCount: 9, groupCount: 1, allocatorPath: [], file: {} },
    });
    expect(again).toBe(false);
    expect((await store.load()).serial).toBe(serial);
  });
});

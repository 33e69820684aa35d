// Cluster with an instance web1 of two disks, and helpers to export it.
import type { JsonObject } from "@ganeti-ts/protocol";
import { creationOf } from "@ganeti-ts/testkit/configuration";
import { expect } from "vitest";
import type { SimulatedCluster } from "./simulated.js";

export const creation = (more: JsonObject = {}): JsonObject =>
  creationOf("web1.example.com", {
    pnode: "node1",
    disks: [{ size: 2048, name: "root" }, { size: 1536 }],
    nics: [{ ip: "198.51.100.7", mac: "aa:00:00:11:22:33" }],
    beparams: { maxmem: 768, minmem: 256, vcpus: 2 },
    hvparams: { acpi: false },
    tags: ["prod", "web"],
    start: false,
    ...more,
  });
export const exporting = (more: JsonObject = {}): JsonObject => ({
  OP_ID: "OP_BACKUP_EXPORT",
  instance_name: "web1",
  target_node: "node3",
  ...more,
});

export async function succeeds({ run }: SimulatedCluster, op: JsonObject) {
  const ran = await run(op);
  expect(ran.status, JSON.stringify(ran.result)).toBe("success");
  return ran;
}

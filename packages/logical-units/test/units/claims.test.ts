// Claims are seen by no check of instances, except that an instance that is being created counts where it would be wrong
// as soon as it exists.
import type { ClaimOf, ClaimUuid, InstanceUuid, JobId, NodeUuid } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { refused } from "../support/results.js";
import { simulatedCluster } from "../support/simulated.js";

const uuid = "12345678-0000-4000-8000-000000000001";
const common = { uuid: uuid as ClaimUuid, job: 999 as JobId };

const removal = (node: NodeUuid): ClaimOf<"removal"> => ({
  ...({ kind: "removal", ...common, node, disks: [] } as const),
  running: { name: "gone.example.com", hypervisor: "kvm", isBeingStopped: false },
});

const creation = (node: NodeUuid): ClaimOf<"creation"> => ({
  ...({ kind: "creation", ...common, disks: [] } as const),
  instance: {
    ...{ uuid: uuid as InstanceUuid, name: "new.example.com", forthcoming: true },
    ...{ primary_node: node, hypervisor: "kvm", disks: [], nics: [], tags: [] },
  },
});

async function withClaim(claimOn: (node: NodeUuid) => ClaimOf<"creation" | "removal">) {
  const cluster = await simulatedCluster({ nodeCount: 1 });
  const [node] = cluster.nodes;
  await cluster.put({ kind: "put", type: "claim", object: claimOn(node as NodeUuid) });
  return cluster;
}

const withoutKvm = { OP_ID: "OP_CLUSTER_SET_PARAMS", enabled_hypervisors: ["fake"] };
const withoutDiskless = {
  ...{ OP_ID: "OP_CLUSTER_SET_PARAMS", enabled_disk_templates: ["plain"] },
  ipolicy: { "disk-templates": ["plain"] },
};

test.each([
  { what: "a hypervisor can be disabled", opcode: withoutKvm },
  { what: "diskless can be disabled", opcode: withoutDiskless },
  { what: "the cluster can be destroyed", opcode: { OP_ID: "OP_CLUSTER_DESTROY" } },
])("$what although a job has left a claim", async ({ opcode }) => {
  const { run } = await withClaim(removal);
  expect(await run(opcode)).toMatchObject({ status: "success" });
});

test("a hypervisor is not disabled while an instance is created that uses it, which is named", async () => {
  const { run, config } = await withClaim(creation);
  expect((await run(withoutKvm)).result).toEqual(
    refused("Cannot disable hypervisor 'kvm': instance new.example.com uses it", "wrong_state"),
  );
  expect(config.snapshot.cluster.enabled_hypervisors).toContain("kvm");
});

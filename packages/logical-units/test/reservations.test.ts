// Random operations in parallel, with failures: every reservation can still become real.

import { defaultPolicy } from "@ganeti-ts/config";
import type { JsonObject } from "@ganeti-ts/protocol";
import { type Clock, systemClock } from "@ganeti-ts/protocol";
import { faultsAtRest } from "@ganeti-ts/simulated-nodes/at-rest";
import { creationOf } from "@ganeti-ts/testkit/configuration";
import { Dice } from "@ganeti-ts/testkit/simulation";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type SimulatedCluster, simulatedCluster } from "./support/simulated.js";

/** A clock a hundred times as fast. */
const clock: Clock = {
  ...systemClock,
  after: (delayMs, then) => systemClock.after(delayMs / 100, then),
};

/** Small enough that not everything fits, including vcpus and spindles. */
const host = {
  memoryTotalMib: 5120,
  memoryNodeMib: 1024,
  cpuTotal: 6,
  volumeGroups: { xenvg: { "/dev/sda": 12_288 } },
  fileSystemMib: 3072,
};
const templates = ["plain", "drbd", "file"] as const;
const ratios = { "vcpu-ratio": 1, "spindle-ratio": 3 };
/** A node gives it what it has free. */
const flexible = { minmem: 256, maxmem: 4096 };
const names = ["a", "b", "c", "d", "e"].map((name) => `${name}.example.com`);
const calls = [
  "blockdev_create",
  "instance_start",
  "blockdev_remove",
  "blockdev_assemble",
] as const;

test("reservations hold through creations, failures, modifications and removals", async () => {
  const seen = { success: 0, short: 0, files: 0, vcpus: 0, spindleUse: 0, failed: 0, committed: 0 };
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 1e6 }), async (seed) => {
      const chance = new Dice(seed);
      const pick = <T>(items: readonly T[]): T =>
        items[Math.floor(chance.fraction() * items.length)] as T;
      const settings = {
        enabled_disk_templates: [...templates],
        file_storage_dir: "/srv/files",
        default_iallocator_params: { "static-kvm-node-memory": `${host.memoryNodeMib}` },
        ipolicy: { ...defaultPolicy(templates), ...ratios },
      };
      const cluster = await simulatedCluster({
        nodeCount: 3,
        host: { ...host, touchedShare: pick([1, 0]) },
        seed,
        clock,
        cluster: settings,
      });
      for (let round = 0; round < 4; round++) {
        const after = Math.floor(chance.fraction() * 4);
        const fault = { kind: "refused", call: pick(calls), times: 1, after } as const;
        const repair = chance.fraction() < 0.5 ? cluster.simulated.fail(fault) : () => {};
        const opcodes = Array.from({ length: 6 }, () => randomOpcode(pick, cluster));
        const submitted = await cluster.queue.submitMany(opcodes.map((opcode) => [opcode]));
        await cluster.queue.idle();
        repair();
        const ids = submitted.flatMap(([ok, id]) => (ok ? [id] : []));
        for (const row of await cluster.queue.query(ids, ["status", "opresult"])) {
          const [status, result] = row as [string, unknown];
          const text = JSON.stringify(result);
          if (status === "success") seen.success++;
          else if (text.includes("Not enough vcpus")) seen.vcpus++;
          else if (text.includes("Not enough spindle use")) seen.spindleUse++;
          else if (text.includes("file storage")) seen.files++;
          else if (text.includes("insufficient_resources")) seen.short++;
          else seen.failed++;
        }
        // Leftovers of a refused call on a node have to be removed by an administrator.
        const faults = faultsAtRest(cluster.config.snapshot, cluster.simulated);
        expect(faults.filter((fault) => !fault.includes("belongs to nobody"))).toEqual([]);
      }
      seen.committed += await commitAll(cluster);
    }),
    { numRuns: 18, seed: 42, endOnFailure: true },
  );
  for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(5);
});

function randomOpcode(
  pick: <T>(items: readonly T[]) => T,
  { config }: SimulatedCluster,
): JsonObject {
  const instance_name = pick(names);
  const template = pick(templates);
  const known = config.snapshot.findInstance(instance_name);
  const create = creationOf(instance_name, {
    disk_template: template,
    disks: [{ size: pick([1024, 2048, 4096]) }],
    beparams: {
      ...pick<JsonObject>([{ memory: 256 }, { memory: 3072 }, flexible]),
      ...{ vcpus: pick([1, 6]), spindle_use: pick([1, 2]) },
    },
    wait_for_sync: false,
    forthcoming: pick([true, false]),
    start: pick([true, false]),
    ...pick([{ iallocator: "hail" }, { pnode: "node1", snode: "node2" }]),
  });
  if (known === undefined) return create;
  const about = (OP_ID: string, more: JsonObject = {}) => ({ OP_ID, instance_name, ...more });
  return pick<JsonObject>([
    about("OP_INSTANCE_REMOVE"),
    about("OP_INSTANCE_STARTUP"),
    about("OP_INSTANCE_STARTUP", { beparams: flexible }),
    about("OP_INSTANCE_SHUTDOWN"),
    about("OP_INSTANCE_REBOOT", { reboot_type: pick(["soft", "hard", "full"]) }),
    about("OP_INSTANCE_SET_PARAMS", { beparams: pick([{ memory: 512 }, flexible]) }),
    about("OP_INSTANCE_SET_PARAMS", { runtime_mem: pick([256, 1024]) }),
    about("OP_INSTANCE_SET_PARAMS", { beparams: { vcpus: pick([1, 3]) } }),
    about("OP_INSTANCE_SET_PARAMS", { beparams: { spindle_use: pick([1, 2]) } }),
    about("OP_INSTANCE_SET_PARAMS", { disks: [["add", -1, { size: 1024 }]] }),
    about("OP_INSTANCE_FAILOVER"),
    {
      ...create,
      commit: true,
      forthcoming: false,
      iallocator: null,
      pnode: null,
      disks: null,
      nics: null,
    },
    create,
  ]);
}

/** Commits all reservations, one after the other. */
async function commitAll({ config, run }: SimulatedCluster): Promise<number> {
  let count = 0;
  for (const instance of [...config.snapshot.instances()]) {
    if (!instance.forthcoming) continue;
    const { status, result } = await run({
      OP_ID: "OP_INSTANCE_CREATE",
      commit: true,
      instance_name: instance.uuid,
      wait_for_sync: false,
      os_type: "noop+default",
      hypervisor: "kvm",
    });
    expect(status, JSON.stringify(result)).toBe("success");
    count++;
  }
  return count;
}

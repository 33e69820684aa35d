// Seen to fail with the cluster of an unnamed hypervisor kept apart from that of the default one.
import { Snapshot } from "@ganeti-ts/config";
import { answered, type NodeBackend } from "@ganeti-ts/node-calls";
import { expect, test, vi } from "vitest";
import { randomConfiguration } from "../test/random-configuration.js";
import { Allocators } from "./allocators.js";

const nodes: NodeBackend = {
  introduce: async () => {},
  call: async (_, name) => {
    if (name !== "node_info") return answered({}) as never;
    const memory = { memoryTotalMib: 65_536, memoryNodeMib: 0, memoryFreeMib: 65_536 };
    return answered({
      storage: [{ name: "xenvg", type: "lvm-vg", size: 1e6, free: 1e6 }],
      hypervisors: [{ ...memory, cpuTotal: 64, cpuNode: 0 }],
    }) as never;
  },
};

test("requests that name the default hypervisor share a kept cluster with those that name none", async () => {
  const { now } = randomConfiguration(7);
  const [name = ""] = now.cluster.enabled_hypervisors;
  const allocators = new Allocators({ nodes });
  const reading = vi.spyOn(Snapshot.prototype, "instances");
  const caller = { lease: "1:1", signal: new AbortController().signal };
  const balance = { type: "balance", max_moves: 0, group_name: null } as const;
  const balanced = await allocators.asked({ now, caller }, balance);
  expect(reading).toHaveBeenCalled();
  reading.mockClear();
  const wanted = {
    ...{ name: "new.example.com", memoryMib: 128, vcpus: 1, spindleUse: 1, os: "noop" },
    ...{ disks: [], nics: [], tags: [], hypervisor: name },
    diskTemplate: now.cluster.enabled_disk_templates[0] ?? "plain",
  };
  await allocators.allocate({ now, caller }, wanted).catch(() => {});
  expect(reading).not.toHaveBeenCalled();
  expect((await allocators.asked({ now, caller }, balance)).cluster).toBe(balanced.cluster);
  reading.mockRestore();
});

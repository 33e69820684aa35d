// A server dies between any two effects of an operation; the next one finds things in order.
import { createMemoryStore, defaultPolicy } from "@ganeti-ts/config";
import type { JsonObject } from "@ganeti-ts/protocol";
import { type Clock, systemClock } from "@ganeti-ts/protocol";
import { describe, expect, test } from "vitest";
import { recoverHeld } from "../src/recovery.js";
import { Fuse } from "./support/fuse.js";
import { faultsAtRest } from "./support/invariants.js";
import { type SimulatedCluster, simulatedCluster, simulatedNodes } from "./support/simulated.js";

const create = (more: JsonObject = {}): JsonObject => ({
  ...{ OP_ID: "OP_INSTANCE_CREATE", instance_name: "web1.example.com", mode: "create" },
  ...{ os_type: "noop+default", disk_template: "plain", disks: [{ size: 1024 }], nics: [{}] },
  ...{ pnode: "node1.example.com", beparams: { memory: 512 }, hypervisor: "kvm", ...more },
});
const mirrored = { disk_template: "drbd", snode: "node2.example.com" };
const about = (OP_ID: string, more: JsonObject = {}): JsonObject => ({
  ...{ OP_ID, instance_name: "web1.example.com", ...more },
});

interface Scenario {
  readonly name: string;
  readonly before: readonly JsonObject[];
  readonly opcode: JsonObject;
  /** What the same opcode says when what the crash cut short had been done. */
  readonly mayBeDone?: RegExp;
  /** Faults afterwards that are for a person to look at. */
  readonly mayLeave?: RegExp;
}

const scenarios: readonly Scenario[] = [
  { name: "creation", before: [], opcode: create(), mayBeDone: /already in the cluster/ },
  {
    name: "creation of mirrored disks",
    before: [],
    opcode: create(mirrored),
    mayBeDone: /already in the cluster/,
  },
  {
    name: "making a reservation real",
    before: [create({ ...mirrored, forthcoming: true })],
    opcode: create({ commit: true, pnode: null, disks: null, nics: null }),
    mayBeDone: /not forthcoming but --commit/,
  },
  {
    name: "start",
    before: [create({ ...mirrored, start: false })],
    opcode: about("OP_INSTANCE_STARTUP"),
  },
  {
    name: "full reboot",
    before: [create()],
    opcode: about("OP_INSTANCE_REBOOT", { reboot_type: "full" }),
  },
  {
    name: "renaming",
    before: [create({ start: false })],
    opcode: about("OP_INSTANCE_RENAME", { new_name: "web2.example.com" }),
    mayBeDone: /'web1.example.com' not known/,
  },
  {
    name: "giving an instance mirrors",
    before: [create({ start: false })],
    opcode: about("OP_INSTANCE_SET_PARAMS", { disk_template: "drbd", remote_node: "node2" }),
    mayBeDone: /already has disk template drbd/,
  },
  {
    name: "adding a disk",
    before: [create({ start: false })],
    opcode: about("OP_INSTANCE_SET_PARAMS", { disks: [["add", -1, { size: 1024 }]] }),
  },
  {
    name: "taking the mirrors of an instance away",
    before: [create({ ...mirrored, start: false })],
    opcode: about("OP_INSTANCE_SET_PARAMS", { disk_template: "plain" }),
    mayBeDone: /already has disk template plain/,
  },
  {
    name: "another template",
    before: [create({ start: false })],
    opcode: about("OP_INSTANCE_SET_PARAMS", { disk_template: "file" }),
    mayBeDone: /already has disk template file/,
  },
  {
    name: "a move",
    before: [create()],
    opcode: about("OP_INSTANCE_MOVE", { target_node: "node2.example.com" }),
    mayBeDone: /is already on the node/,
  },
  {
    name: "replacing disks in their place",
    before: [create(mirrored)],
    opcode: about("OP_INSTANCE_REPLACE_DISKS", { mode: "replace_on_secondary" }),
    // The old copy, which is put aside until the new one is complete.
    mayLeave: /^node2\S* volume \S+_replaced-\d+ belongs to nobody$/,
  },
  {
    name: "another secondary node",
    before: [create(mirrored)],
    opcode: about("OP_INSTANCE_REPLACE_DISKS", {
      ...{ mode: "replace_new_secondary", remote_node: "node3.example.com" },
    }),
    mayBeDone: /is already the secondary node/,
    mayLeave: /^node2\S* volume \S+ belongs to nobody$/,
  },
  {
    name: "removal",
    before: [create(mirrored)],
    opcode: about("OP_INSTANCE_REMOVE"),
    mayBeDone: /'web1.example.com' not known/,
  },
];

describe("a server that dies in the middle of", () => {
  test.each(scenarios)(
    "$name leaves nothing that is in the way",
    { timeout: 60_000 },
    async (one) => {
      const seen = { crashes: 0, recovered: 0 };
      for (const when of ["before", "after"] as const) {
        for (let at = 1; ; at++) {
          const { hasDied, droppedCount } = await crashOnce(one, at, when);
          if (!hasDied) break;
          seen.crashes++;
          if (droppedCount > 0) seen.recovered++;
        }
      }
      expect(seen.crashes).toBeGreaterThan(6);
      if (one.name !== "removal" && one.name !== "renaming" && one.name !== "full reboot") {
        expect(seen.recovered).toBeGreaterThan(3);
      }
    },
  );
});

async function crashOnce(
  { before, opcode, mayBeDone, mayLeave }: Scenario,
  at: number,
  when: "before" | "after",
) {
  const store = createMemoryStore();
  const simulated = await simulatedNodes({}, { nodeCount: 3 });
  const templates = ["plain", "drbd", "file"] as const;
  const cluster = { enabled_disk_templates: templates, file_storage_dir: "/srv/files" };
  const all = { store, simulated, nodeCount: 3 };
  const first = await simulatedCluster({
    ...all,
    cluster: { ...cluster, ipolicy: defaultPolicy(templates) },
  });
  for (const one of before) expect((await first.run(one)).status).toBe("success");
  const reserved = [...first.config.snapshot.instances()].find((one) => one.forthcoming);

  const fuse = new Fuse(at, when);
  const doomed = await simulatedCluster({
    ...{ ...all, store: fuse.store(store), seed: 2 },
    between: (nodes) => fuse.nodes(nodes),
  });
  const hasDied = await Promise.race([
    fuse.over.then(() => true),
    doomed.run(opcode).then(() => false),
  ]);
  const where = `at effect ${at}, ${when} it`;
  const faults = () =>
    faultsAtRest(next.config.snapshot, simulated).filter((fault) => !mayLeave?.test(fault));
  const next = await simulatedCluster({ ...all, seed: 3, clock: aMinuteLater });
  const dropped = await recover(next);
  expect(faults(), where).toEqual([]);
  if (reserved !== undefined) {
    expect(next.config.snapshot.instance(reserved.uuid)?.disks, where).toEqual(reserved.disks);
  }
  if (!hasDied) return { hasDied, droppedCount: dropped.length };
  const again = await next.run(opcode);
  const isDone = again.status === "success" || mayBeDone?.test(JSON.stringify(again.result));
  expect(isDone, `${where}: ${JSON.stringify(again.result)}`).toBe(true);
  expect(faults(), where).toEqual([]);
  return { hasDied, droppedCount: dropped.length };
}

const aMinuteLater: Clock = {
  ...systemClock,
  wallMicros: () => systemClock.wallMicros() + 60_000_000,
};

const recover = ({ config, simulated }: SimulatedCluster) =>
  recoverHeld(
    { config, nodes: simulated, lease: "9:1", signal: new AbortController().signal },
    async () => true,
  );

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeMessage, encodeAnswer, WireMessage } from "@ganeti-ts/protocol";
import { Dice } from "@ganeti-ts/testkit";
import fc from "fast-check";
import { expect, test } from "vitest";
import { randomConfiguration } from "../test/random-configuration.js";
import { randomRequest } from "../test/random-request.js";
import { answerBuiltIn } from "./built-in.js";
import { clusterEntries } from "./cluster-entries.js";
import { InstanceEntryCache } from "./instance-entries.js";
import { allocatorMessage } from "./message.js";
import { messageText } from "./message-text.js";

function throwMessage(seed: number, ours = true) {
  const { now, live } = randomConfiguration(seed);
  const entries = clusterEntries(now, live);
  const request = randomRequest(seed, entries, ours);
  return { now, live, entries, request };
}

test("what the placement core gets directly is what it would read from the text", () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const { entries, request } = throwMessage(seed);
      seen.add(request.type);
      expect(allocatorMessage(entries, request)).toEqual(
        decodeMessage(messageText(entries, request)),
      );
    }),
    { numRuns: 100 },
  );
  expect(seen.size).toBe(8);
});

test("the text is a message by its schema", () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const { entries, request } = throwMessage(seed);
      const parsed = WireMessage.safeParse(JSON.parse(messageText(entries, request)));
      expect(parsed.error?.issues ?? []).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

const hail = "/usr/lib/ganeti/iallocators/hail";

test.skipIf(!existsSync(hail))(
  `Ganeti's hail understands every message and answers as the built-in one does${
    existsSync(hail) ? "" : ` (SKIPPED: there is no ${hail})`
  }`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), "message-"));
    const answers = { success: 0, failure: 0 };
    try {
      for (let seed = 0; seed < 40; seed++) {
        const { entries, request } = throwMessage(seed, false);
        const file = join(folder, "message.json");
        writeFileSync(file, messageText(entries, request));
        const env = { ...process.env, LC_ALL: "C.UTF-8" };
        const { status, stdout, stderr } = spawnSync(hail, [file], { encoding: "utf8", env });
        // Groups without nodes end Ganeti's program in a few requests: so there is no answer to compare.
        if (stderr.includes("is not an element of the map")) continue;
        expect({ status, stderr: stderr.match(/Error: .*/)?.[0] }, `seed ${seed}`).toEqual({
          status: 0,
        });
        const built = answerBuiltIn(allocatorMessage(entries, request), {});
        expect(built.ok && encodeAnswer(built.answer), `seed ${seed}`).toBe(stdout);
        answers[built.ok && built.answer.success ? "success" : "failure"]++;
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
    expect(answers.success).toBeGreaterThan(10);
    expect(answers.failure).toBeGreaterThan(5);
  },
);

test("reservations count where they have nodes, and are left out where they have none", () => {
  const { now, entries } = throwMessage(5);
  const instances = [...now.instances()];
  const unplaced = instances.filter(({ primary_node }) => primary_node === undefined);
  const reserved = instances.filter(
    ({ forthcoming, primary_node }) => forthcoming && primary_node !== undefined,
  );
  expect(unplaced.length).toBeGreaterThan(0);
  expect(reserved.length).toBeGreaterThan(0);
  const byName = new Map(entries.instances);
  for (const { name, uuid } of unplaced) expect(byName.has(name ?? uuid)).toBe(false);
  for (const { name, uuid } of reserved) {
    expect(byName.get(name ?? uuid)).toMatchObject({ forthcoming: true, should_run: false });
  }
});

test("memory that instances are to have and do not use yet is not free", () => {
  const { now, live } = randomConfiguration(3);
  const entries = clusterEntries(now, live);
  let adjusted = 0;
  for (const [name, entry] of entries.nodes) {
    const figures = live.get(now.expectNode(name).uuid);
    if (figures === undefined) {
      expect(entry.free_memory).toBeUndefined();
      continue;
    }
    const own = entries.instances.filter(([, { nodes }]) => nodes[0] === name);
    const missing = own
      .filter(([, { should_run, forthcoming }]) => should_run && !forthcoming)
      .map(([instance, { memory }]) => memory - (figures.runningMib.get(instance) ?? 0));
    const sum = missing.reduce((total, mib) => total + Math.max(0, mib), 0);
    expect(entry.free_memory).toBe(figures.memoryFreeMib - sum);
    if (sum > 0) adjusted++;
  }
  expect(adjusted).toBeGreaterThan(0);
});

test("what an asking operation holds itself does not count", () => {
  const { now, live } = randomConfiguration(3);
  const [first] = [...now.instances()].filter(({ primary_node }) => primary_node !== undefined);
  if (first === undefined) throw new Error("no instance");
  const all = clusterEntries(now, live);
  const others = clusterEntries(now, live, new Set([first.uuid]));
  expect(others.instances.length).toBe(all.instances.length - 1);
});

test("cached instance entries equal new ones, and only changed entries are made again", () => {
  let reused = 0;
  fc.assert(
    fc.property(fc.integer(), fc.integer(), (seed, otherSeed) => {
      const { now, live } = randomConfiguration(seed);
      const other = randomConfiguration(otherSeed).now;
      const cache = new InstanceEntryCache();
      cache.entriesOf(now);
      // Objects change, come and go; then a cluster that has nothing to do with it; then back.
      const dice = new Dice(seed);
      const disks = dice
        .some([...now.disks()], 0.2)
        .map((object) =>
          dice.chance(0.3)
            ? { kind: "remove", type: "disk", uuid: object.uuid }
            : { kind: "put", type: "disk", object: { ...object, size: 12345 } },
        );
      const instances = dice
        .some([...now.instances()], 0.2)
        .map((object) =>
          dice.chance(0.3)
            ? { kind: "remove", type: "instance", uuid: object.uuid }
            : { kind: "put", type: "instance", object: { ...object, tags: ["changed"] } },
        );
      const head = { serial: now.serial + 1, mtime: 2 };
      const later = now.with([...disks, ...instances] as never, head);
      for (const snapshot of [later, now, other, later]) {
        const cached = cache.entriesOf(snapshot);
        const fresh = new InstanceEntryCache().entriesOf(snapshot);
        expect(cached).toEqual(fresh);
      }
      const before = clusterEntries(now, live, undefined, cache).instances;
      const after = clusterEntries(later, live, undefined, cache).instances;
      reused += after.filter((entry) => before.includes(entry)).length;
    }),
    { numRuns: 60 },
  );
  expect(reused).toBeGreaterThan(100);
});

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { finished, KeptCluster } from "@ganeti-ts/htools";
import { decodeMessage, encodeAnswer, WireMessage } from "@ganeti-ts/protocol";
import { randomRuns } from "@ganeti-ts/testkit";
import fc from "fast-check";
import { expect, test } from "vitest";
import { randomConfiguration } from "../test/random-configuration.js";
import { randomRequest } from "../test/random-request.js";
import { allocatorPrograms } from "./allocator-programs.js";
import { answerBuiltIn } from "./built-in.js";
import { clusterEntries } from "./cluster-entries.js";
import { allocatorMessage } from "./message.js";
import { messageText } from "./message-text.js";

function throwMessage(seed: number, ours = true) {
  const { now, live } = randomConfiguration(seed);
  const entries = clusterEntries(now, live);
  const request = randomRequest(seed, entries, ours);
  return { now, live, entries, request };
}

test("the message for the placement core equals the one that it would read from the text", () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const { entries, request } = throwMessage(seed);
      seen.add(request.type);
      expect(allocatorMessage(entries, request)).toEqual(
        decodeMessage(messageText(entries, request)),
      );
    }),
    { numRuns: randomRuns(100) },
  );
  expect(seen.size).toBe(8);
});

test("the text is a message by its schema, in ASCII whatever tags and names contain", () => {
  let escaped = 0;
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const { entries, request } = throwMessage(seed);
      const text = messageText(entries, request);
      expect(text).toMatch(/^[ -~]*$/);
      if (text.includes("gr\\u00f6\\u00dfe:\\ud834\\udd1e")) escaped++;
      const parsed = WireMessage.safeParse(JSON.parse(text));
      expect(parsed.error?.issues ?? []).toEqual([]);
    }),
    { numRuns: 60 },
  );
  expect(escaped).toBeGreaterThan(10);
});

const hail = "/usr/lib/ganeti/iallocators/hail";

test.skipIf(!existsSync(hail))(
  `Ganeti's hail understands every message and answers as the built-in one does${
    existsSync(hail) ? "" : ` (SKIPPED: there is no ${hail})`
  }`,
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "message-"));
    const programs = allocatorPrograms({ searchPath: [dirname(hail)], folder });
    const { signal } = new AbortController();
    const answers = { success: 0, failure: 0 };
    try {
      for (let seed = 0; seed < 40; seed++) {
        const { entries, request } = throwMessage(seed, false);
        const run = await programs.run(hail, messageText(entries, request), [], signal);
        // Groups without nodes crash Ganeti's program for a few requests, which leaves no answer to compare.
        if (!run.ok && run.output.includes("is not an element of the map")) continue;
        const message = allocatorMessage(entries, request);
        const kept = KeptCluster.of(message.cluster);
        const built = finished(answerBuiltIn(kept, message.request, {}));
        expect(run, `seed ${seed}`).toEqual({
          ok: true,
          stdout: built.ok && encodeAnswer(built.answer),
        });
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

test("memory of instances that should run is not free, even if they do not use it yet", () => {
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

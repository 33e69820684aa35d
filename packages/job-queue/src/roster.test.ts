import type { JobId, JobStatus } from "@ganeti-ts/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Roster } from "./roster.js";
import type { Change, JobRow, News } from "./store.js";

const nothing: News = {
  nowMicros: 0,
  serial: 0,
  jobs: [],
  wanted: new Map(),
  dead: [],
  fenced: [],
  liveCount: 0,
};

const row = (id: number, status: JobStatus, archived = false): JobRow => ({
  id: id as JobId,
  status,
  archived,
  claim: null,
});

const idsOf = (roster: Roster) => roster.blocks.flatMap(({ ids }) => ids);

test("counts and ids are those of the jobs that are not archived, whatever happens in which order", () => {
  const seen = { archived: 0, blocks: 0 };
  const event = fc.record({
    id: fc.integer({ min: 1, max: 8 }).map((at) => 200 * at),
    status: fc.constantFrom<JobStatus>("queued", "running", "success"),
    archived: fc.boolean(),
    own: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(event, { minLength: 20, maxLength: 60 }), (events) => {
      const roster = new Roster();
      const expected = new Map<number, JobStatus>();
      for (const { id, status, archived, own } of events) {
        if (archived) seen.archived += Number(expected.delete(id));
        else expected.set(id, status);
        const archive: Change = { kind: "archive", ids: [id as JobId] };
        if (own && archived) roster.learn(nothing, [archive]);
        else roster.learn({ ...nothing, jobs: [row(id, status, archived)] }, []);
      }
      const counts: Partial<Record<JobStatus, number>> = {};
      for (const status of expected.values()) counts[status] = (counts[status] ?? 0) + 1;
      expect(idsOf(roster)).toEqual([...expected.keys()].sort((a, b) => a - b));
      expect(Object.fromEntries(roster.counts)).toEqual(counts);
      expect(roster.size).toBe(expected.size);
      seen.blocks = Math.max(seen.blocks, roster.blocks.length);
    }),
  );
  expect(seen.archived).toBeGreaterThan(10);
  expect(seen.blocks).toBeGreaterThan(2);
});

test("a change replaces the block of its job and keeps all others, and the list of ids unless that changes", () => {
  const roster = new Roster();
  const finished = [1, 2, 600, 601].map((id) => row(id, "success"));
  roster.learn({ ...nothing, finished, jobs: [row(3, "queued")] }, []);
  const [first, second] = roster.blocks;
  roster.learn({ ...nothing, jobs: [row(3, "running")] }, []);
  expect(roster.blocks[0]).not.toBe(first);
  expect(roster.blocks[0]?.ids).toBe(first?.ids);
  expect(roster.blocks[1]).toBe(second);
  roster.learn({ ...nothing, jobs: [row(4, "queued")] }, []);
  expect(roster.blocks[0]?.ids).toEqual([1, 2, 3, 4]);
  expect(roster.blocks[1]).toBe(second);
});

test("the roster is rebuilt after missed changes", () => {
  const roster = new Roster();
  roster.learn({ ...nothing, jobs: [row(1, "queued"), row(2, "queued")] }, []);
  roster.learn({ ...nothing, finished: [row(2, "error")], jobs: [row(3, "queued")] }, []);
  expect(idsOf(roster)).toEqual([2, 3]);
  expect(Object.fromEntries(roster.counts)).toEqual({ error: 1, queued: 1 });
});

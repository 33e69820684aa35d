import type { JobId, JobStatus } from "@ganeti-ts/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Change, JobRow, News } from "../stores/store.js";
import { Roster } from "./roster.js";

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
  const seen = { archived: 0, blocks: 0, many: 0 };
  const id = fc.integer({ min: 1, max: 12 }).map((at) => 150 * at);
  const event = fc.record({
    id,
    status: fc.constantFrom<JobStatus>("queued", "running", "success"),
    archived: fc.boolean(),
  });
  const steps = fc.record({
    events: fc.array(event, { maxLength: 6 }),
    archive: fc.array(id, { maxLength: 2 }),
  });
  fc.assert(
    fc.property(fc.array(steps, { minLength: 20, maxLength: 40 }), (all) => {
      const roster = new Roster();
      const expected = new Map<number, JobStatus>();
      for (const { events, archive } of all) {
        for (const { id, status, archived } of events) {
          if (archived) seen.archived += Number(expected.delete(id));
          else expected.set(id, status);
        }
        for (const id of archive) seen.archived += Number(expected.delete(id));
        const jobs = events.map(({ id, status, archived }) => row(id, status, archived));
        const change: Change = { kind: "archive", ids: archive as JobId[] };
        seen.many = Math.max(seen.many, events.length);
        const before = roster.blocks.map(({ ids }) => ({ ids, copy: [...ids] }));
        roster.learn({ ...nothing, jobs }, [change]);
        for (const { ids, copy } of before) expect(ids).toEqual(copy);
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
  expect(seen.many).toBeGreaterThan(3);
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

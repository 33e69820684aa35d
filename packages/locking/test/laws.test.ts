import fc from "fast-check";
import { expect, test } from "vitest";
import {
  LockError,
  type LockOwner,
  type LockRowChanges,
  type LockRows,
  type LockTable,
  lockTable,
  ownerKey,
} from "../src/index.js";
import { barriersOf, forbiddenPairs, holdersInTheWay, wishesOf } from "./by-the-letter.js";
import { type Step, steps, take } from "./steps.js";

interface Moment {
  readonly step: Step;
  readonly before: LockRows;
  readonly after: LockRows;
  readonly answer: unknown;
  readonly error: LockError | undefined;
  readonly granted: readonly LockOwner[];
  readonly changes: LockRowChanges;
  readonly table: LockTable;
}

/** Half of the runs are the same each time, so that the cases that a test counts do occur. */
const sameEachTime = fc.sample(steps, { numRuns: 200, seed: 3 }).map((run) => [run] as [Step[]]);

/** The law holds at every moment of every run; `numRuns` runs. */
function always(law: (moment: Moment) => void, numRuns = 400): void {
  fc.assert(
    fc.property(steps, (run) => {
      const table = lockTable();
      for (const step of run) {
        const before = table.rows();
        let answer: unknown;
        let error: LockError | undefined;
        try {
          answer = take(table, step);
        } catch (thrown) {
          if (!(thrown instanceof LockError)) throw thrown;
          error = thrown;
        }
        const [granted, changes] = [table.takeGranted(), table.takeChanges()];
        law({ step, before, after: table.rows(), answer, error, granted, changes, table });
      }
    }),
    { numRuns, examples: sameEachTime },
  );
}

const ids = (list: readonly LockOwner[]) => list.map(({ id }) => id).toSorted();
const sorted = (list: readonly unknown[]) => list.toSorted() as unknown[];
const holdsOf = ({ holds }: LockRows, { id }: LockOwner) =>
  sorted(holds.filter(({ owner }) => owner.id === id).map(({ lock, mode }) => `${lock} ${mode}`));
const waitOf = ({ waits }: LockRows, { id }: LockOwner) =>
  waits.find(({ owner }) => owner.id === id);

test("an exclusive lock never has other holders, including those of its group lock", () => {
  let shared = 0;
  always(({ after }) => {
    expect(forbiddenPairs(after)).toEqual([]);
    const locks = after.holds.map(({ lock }) => lock);
    shared += locks.length - new Set(locks).size;
  });
  expect(shared).toBeGreaterThan(100);
});

test("what is refused or waits changes no hold of its owner; refused, nothing at all", () => {
  const seen = { refused: 0, waiting: 0 };
  always(({ step, before, after, error, answer }) => {
    if (error !== undefined) {
      seen.refused++;
      expect(after).toEqual(before);
    } else if ((step.kind === "ask" || step.kind === "try") && answer === false) {
      if (step.kind === "ask" && step.definite) return;
      seen.waiting++;
      expect(holdsOf(after, step.owner)).toEqual(holdsOf(before, step.owner));
    }
  });
  expect(Math.min(seen.refused, seen.waiting)).toBeGreaterThan(100);
});

test("freeing always succeeds, and frees", () => {
  let freed = 0;
  always(({ step, before, after, error, granted }) => {
    if (step.kind === "release") {
      expect(error).toBeUndefined();
      if (ids(granted).includes(step.owner.id)) return;
      for (const lock of step.locks) {
        expect(
          holdsOf(after, step.owner).filter((hold) => `${hold}`.startsWith(`${lock} `)),
        ).toEqual([]);
      }
    }
    if (step.kind !== "releaseAll") return;
    expect([error, holdsOf(after, step.owner), waitOf(after, step.owner)]).toEqual([
      undefined,
      [],
      undefined,
    ]);
    freed += holdsOf(before, step.owner).length;
  });
  expect(freed).toBeGreaterThan(100);
});

test("blockers are enough together, and each of them is needed", () => {
  let several = 0;
  always(({ after, table }) => {
    for (const { owner, definite, requests, priority } of after.waits) {
      const { blockers } = table.waitsFor(owner) ?? { blockers: [] };
      const asked = definite ? requests.slice(0, 1) : requests;
      const without = (gone: readonly LockOwner[]) => {
        const holds = after.holds.filter((hold) => !ids(gone).includes(hold.owner.id));
        return lockTable({ holds, waits: [] }).tryRequest(owner, asked, { priority });
      };
      expect(without(blockers)).toBe(true);
      for (const needed of blockers) {
        expect(without(blockers.filter((other) => other !== needed))).toBe(false);
      }
      if (blockers.length > 1) several++;
    }
  }, 200);
  expect(several).toBeGreaterThan(20);
});

test("a waiting request cannot be served: a holder or a barrier in front blocks it", () => {
  const seen = { blocked: 0, behind: 0 };
  always(({ after, table }) => {
    for (const wait of after.waits) {
      const said = table.waitsFor(wait.owner) ?? { blockers: [], behind: [] };
      const blockers = holdersInTheWay(after, wait.owner.id, wishesOf(wait));
      const behind = barriersOf(after, wait);
      expect(ids(said.blockers)).toEqual(sorted(blockers));
      expect(ids(said.behind)).toEqual(sorted(behind));
      expect(blockers.length + behind.length).toBeGreaterThan(0);
      seen[blockers.length > 0 ? "blocked" : "behind"]++;
    }
  });
  expect(Math.min(seen.blocked, seen.behind)).toBeGreaterThan(10);
});

test("an owner notified of a grant holds all requested locks, and only waiting owners are notified", () => {
  let told = 0;
  always(({ before, after, granted }) => {
    for (const owner of granted) {
      const wait = waitOf(before, owner);
      expect(waitOf(after, owner)).toBeUndefined();
      for (const { lock, mode } of wait?.asked ?? [undefined as never]) {
        const hold = after.holds.find((one) => one.owner.id === owner.id && one.lock === lock);
        expect(hold?.mode ?? "release").toBe(mode);
      }
      told++;
    }
    for (const { owner } of before.waits) {
      if (waitOf(after, owner) !== undefined || ids(granted).includes(owner.id)) continue;
      // It was withdrawn: nothing is left of a definite request.
      expect(holdsOf(after, owner).length).toBeLessThanOrEqual(holdsOf(before, owner).length);
    }
  });
  expect(told).toBeGreaterThan(30);
});

test("repeating a call changes nothing and notifies no owner", () => {
  const seen = { granted: 0, waiting: 0 };
  always(({ step, after, answer, error, table }) => {
    if (error !== undefined || step.kind === "releaseLease") return;
    if (step.kind === "ask") seen[answer === true ? "granted" : "waiting"]++;
    // A request with releases has been carried out, so repeating it is a different request.
    const again = take(table, step);
    if (step.kind === "ask" || step.kind === "try") expect(again).toBe(answer);
    expect(table.rows()).toEqual(after);
    expect(table.takeGranted()).toEqual([]);
    table.takeChanges();
  });
  expect(Math.min(seen.granted, seen.waiting)).toBeGreaterThan(100);
});

test("a table restored from its rows answers the same", () => {
  fc.assert(
    fc.property(steps, (run) => {
      const table = lockTable();
      let restored = lockTable();
      const answered = (on: LockTable, step: Step) => {
        try {
          return [take(on, step), on.takeGranted()];
        } catch (error) {
          return (error as Error).message;
        }
      };
      for (const step of run) {
        const expected = answered(table, step);
        restored = lockTable(JSON.parse(JSON.stringify(restored.rows())));
        expect(answered(restored, step)).toEqual(expected);
        expect(sorted(restored.rows().holds.map(text))).toEqual(
          sorted(table.rows().holds.map(text)),
        );
      }
    }),
    { numRuns: 200 },
  );
});
const text = (row: unknown) => JSON.stringify(row);

test("rows kept up to date by the changes told are the rows", () => {
  const kept = { holds: new Map<string, unknown>(), waits: new Map<string, unknown>() };
  let last: LockTable | undefined;
  always(({ after, changes, table }) => {
    if (table !== last) for (const rows of [kept.holds, kept.waits]) rows.clear();
    last = table;
    const holdKey = ({ owner, lock }: { owner: LockOwner; lock: string }) =>
      `${ownerKey(owner)} ${lock}`;
    for (const row of changes.holdsGone) kept.holds.delete(holdKey(row));
    for (const row of changes.holdsSet) kept.holds.set(holdKey(row), row);
    for (const owner of changes.waitsGone) kept.waits.delete(ownerKey(owner));
    for (const row of changes.waitsSet) kept.waits.set(ownerKey(row.owner), row);
    expect(sorted([...kept.holds.values()].map(text))).toEqual(sorted(after.holds.map(text)));
    expect(sorted([...kept.waits.values()].map(text))).toEqual(sorted(after.waits.map(text)));
  }, 200);
});

test("jobs that wait without limit, for one lock after the other or for batches, all come to their end", () => {
  const level = fc.constantFrom("instance", "node");
  const wish = fc.record({
    lock: fc
      .tuple(level, fc.constantFrom("[lockset]", "a", "b", "c"))
      .map(([one, name]) => `${one}/${name}` as const),
    mode: fc.constantFrom("shared" as const, "exclusive" as const),
  });
  const job = fc.record({
    priority: fc.constantFrom(0, 0, -5),
    definite: fc.boolean(),
    // Batches one after the other, the levels in order.
    batches: fc
      .array(fc.uniqueArray(wish, { selector: ({ lock }) => lock, minLength: 1, maxLength: 2 }), {
        minLength: 1,
        maxLength: 3,
      })
      .map((batches) =>
        batches.toSorted((a, b) => (a[0]?.lock ?? "").localeCompare(b[0]?.lock ?? "")),
      ),
  });
  let waited = 0;
  fc.assert(
    fc.property(
      fc.array(job, { minLength: 12, maxLength: 12 }),
      fc.infiniteStream(fc.nat()),
      (jobs, dice) => {
        const table = lockTable();
        const left = new Map(jobs.map(({ batches }, id) => [id, [...batches]]));
        while (left.size > 0) {
          const able = [...left.keys()].filter((id) => !table.isWaiting({ id }));
          // No deadlock: as long as jobs are left, one of them does not wait.
          expect(able).not.toEqual([]);
          const id = able[(dice.next().value as number) % able.length] as number;
          const batch = left.get(id)?.shift();
          if (batch === undefined) {
            table.releaseAll({ id });
            left.delete(id);
            continue;
          }
          try {
            const { priority, definite } = jobs[id] as (typeof jobs)[number];
            // More of what one shares already: refused to those who wait for one lock after the other.
            const upgrades = batch.some(({ lock }) => table.holdsOf({ id }).has(lock));
            if (!table.request({ id }, batch, { priority, definite: definite || upgrades }))
              waited++;
          } catch (error) {
            if (!(error instanceof LockError)) throw error;
          }
        }
      },
    ),
    { numRuns: 300 },
  );
  expect(waited).toBeGreaterThan(1000);
});

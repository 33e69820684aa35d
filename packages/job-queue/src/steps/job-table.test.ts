import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { JobId } from "@ganeti-ts/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { JobTable } from "./job-table.js";

type Change =
  | { readonly kind: "set"; readonly id: JobId; readonly value: number | null }
  | { readonly kind: "delete"; readonly id: JobId };

/** Few enough that they meet: at the edges of pages, in the same place of many pages, and larger than 32 bits. */
const id = fc
  .oneof(
    fc.constantFrom(0, 1, 2, 254, 255, 256, 257, 511, 512, 513),
    fc.integer({ min: 0, max: 9 }).map((page) => 256 * page + 7),
    fc.constantFrom(0, 1, 2).map((at) => 2 ** 32 + at),
    fc.constantFrom(0, 1).map((at) => 2 ** 52 + 256 * at),
  )
  .map((one) => one as JobId);

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({
    kind: fc.constant("set" as const),
    id,
    value: fc.option(fc.nat(9), { freq: 4 }),
  }),
  fc.record({ kind: fc.constant("delete" as const), id }),
);

function changeBoth(table: JobTable<number | null>, model: Map<JobId, number | null>, one: Change) {
  if (one.kind === "set") {
    table.set(one.id, one.value);
    model.set(one.id, one.value);
  } else expect(table.delete(one.id)).toBe(model.delete(one.id));
}

const ascending = (ids: Iterable<JobId>): JobId[] => [...ids].sort((a, b) => a - b);

const pagesOf = (model: ReadonlyMap<JobId, unknown>): number =>
  new Set([...model.keys()].map((one) => Math.floor(one / 256))).size;

test("a table holds what a Map holds, ascending by id", () => {
  const seen = { pages: 0, cleared: 0 };
  const part = fc.record({ changes: fc.array(change), isCleared: fc.boolean() });
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), fc.array(id), (parts, asked) => {
      const table = new JobTable<number | null>();
      const model = new Map<JobId, number | null>();
      for (const { changes, isCleared } of parts) {
        for (const one of changes) changeBoth(table, model, one);
        seen.pages = Math.max(seen.pages, pagesOf(model));
        expect(table.size).toBe(model.size);
        expect([...table.keys()]).toEqual(ascending(model.keys()));
        expect([...table.values()]).toEqual(ascending(model.keys()).map((one) => model.get(one)));
        for (const one of [...model.keys(), ...asked]) {
          expect(table.get(one)).toBe(model.get(one));
          expect(table.has(one)).toBe(model.has(one));
        }
        if (!isCleared) continue;
        seen.cleared += Number(model.size > 0);
        table.clear();
        model.clear();
      }
    }),
  );
  expect(seen.pages).toBeGreaterThan(4);
  expect(seen.cleared).toBeGreaterThan(10);
});

test("an iteration visits each job that has a value when its turn comes, whatever changes meanwhile", () => {
  const seen = { later: 0, earlier: 0, lost: 0, newPages: 0 };
  const changes = fc.array(change, { maxLength: 6 });
  fc.assert(
    fc.property(
      fc.array(change, { minLength: 5, maxLength: 30 }),
      fc.array(changes),
      (before, during) => {
        const table = new JobTable<number | null>();
        const model = new Map<JobId, number | null>();
        for (const one of before) changeBoth(table, model, one);
        const left = [...during];
        let last = -1;
        const isAhead = (one: JobId) => one > last;
        for (const visits = table.keys(); ; ) {
          const [expected] = ascending([...model.keys()].filter(isAhead));
          expect(visits.next().value).toBe(expected);
          if (expected === undefined) break;
          last = expected;
          for (const one of left.shift() ?? []) {
            const pages = pagesOf(model);
            if (one.kind === "delete") seen.lost += Number(isAhead(one.id) && model.has(one.id));
            else if (!model.has(one.id)) seen[isAhead(one.id) ? "later" : "earlier"]++;
            changeBoth(table, model, one);
            seen.newPages += Number(isAhead(one.id) && pagesOf(model) > pages);
          }
        }
      },
    ),
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(50);
});

test("memory follows the number of jobs although a few old ones stay", () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const heapMib = () => {
    collect();
    return process.memoryUsage().heapUsed / 2 ** 20;
  };
  const table = new JobTable<string>();
  const before = heapMib();
  for (let at = 0; at < 1_000_000; at++) {
    table.set(at as JobId, "queued");
    if (at >= 100 && at % 100_000 !== 0) table.delete((at - 100) as JobId);
  }
  // A pointer of each would be 8 MiB.
  expect(heapMib() - before).toBeLessThan(1);
  expect(table.size).toBe(109);
});

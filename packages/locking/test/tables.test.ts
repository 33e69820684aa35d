import { expect, test } from "vitest";
import {
  LockError,
  type LockMode,
  type LockName,
  type LockOwner,
  type LockTable,
  lockRows,
  lockTable,
} from "../src/index.js";
import { unloggedLockTable } from "../src/lock-table.js";
import vectors from "./vectors/tables.json" with { type: "json" };

interface Step {
  readonly ask?: number;
  readonly release?: number;
  readonly withdraw?: number;
  readonly lease?: string;
  readonly locks?: Readonly<Record<string, LockMode | "release">>;
  readonly priority?: number;
  readonly definite?: boolean;
}

const owner = (id: number): LockOwner => ({ id, token: `claim ${id}`, lease: `worker of ${id}` });
const ids = (owners: readonly LockOwner[]) => owners.map(({ id }) => id).sort();

/** Result of the step, in the notation of the vectors. */
function played(table: LockTable, step: Step) {
  const wanted = Object.entries(step.locks ?? {}).map(([lock, mode]) => ({
    lock: lock as LockName,
    mode: mode as LockMode,
  }));
  if (step.ask !== undefined) {
    try {
      const granted = table.request(owner(step.ask), wanted, step);
      const { blockers = [], behind = [] } = table.waitsFor(owner(step.ask)) ?? {};
      return {
        answer: granted ? "granted" : "waiting",
        blockers: ids(blockers),
        behind: ids(behind),
      };
    } catch (error) {
      if (error instanceof LockError) return { answer: error.message };
      throw error;
    }
  }
  if (step.lease !== undefined) {
    return { dead: ids(table.releaseLease(step.lease)), grants: ids(table.takeGranted()) };
  }
  if (step.withdraw !== undefined) table.withdraw(owner(step.withdraw));
  else table.releaseAll(owner(step.release as number));
  return { grants: ids(table.takeGranted()) };
}

function holdsOf(table: LockTable) {
  const holds: Record<string, Record<string, LockMode>> = {};
  for (const { owner, lock, mode } of table.rows().holds) {
    holds[owner.id] = { ...holds[owner.id], [lock]: mode };
  }
  return holds;
}

const outcomes = ["answer", "blockers", "behind", "dead", "grants"] as const;

test.each(vectors)("$name", ({ steps, holds, granted }) => {
  const table = lockTable();
  for (const step of steps as (Step & Record<string, unknown>)[]) {
    const said = Object.fromEntries(
      outcomes.filter((key) => key in step).map((key) => [key, step[key]]),
    );
    expect({ step, outcome: played(table, step) }).toMatchObject({ step, outcome: said });
  }
  expect(holdsOf(table)).toEqual(holds);
  expect(ids(table.takeGranted())).toEqual(granted ?? []);
});

test("the monitor shows holders and waiting requests, in order", () => {
  const table = lockTable();
  const ask = (
    id: number | string,
    locks: Record<string, LockMode>,
    priority = 0,
    definite = false,
  ) =>
    table.request(
      { id },
      Object.entries(locks).map(([lock, mode]) => ({ lock: lock as LockName, mode })),
      { priority, definite },
    );
  ask(1, { "node/n10": "shared" });
  ask("watcher", { "node/n10": "shared", "node/n2": "exclusive" });
  ask(3, { "node/n10": "exclusive" });
  ask(4, { "node/n10": "shared" });
  ask(5, { "node/n10": "exclusive" }, -10);
  ask(6, { "node/n10": "shared" });
  ask(7, { "node/n10": "exclusive", "node/n2": "shared" });
  ask(8, { "node/n2": "shared", "network/x": "shared" }, 0, true);
  expect(lockRows(table.rows())).toEqual([
    {
      name: "node/n2",
      mode: "exclusive",
      owner: ['"watcher"'],
      pending: [
        ["shared", ["7"]],
        ["shared", ["8"]],
      ],
    },
    {
      name: "node/n10",
      mode: "shared",
      owner: ["1", '"watcher"'],
      pending: [
        ["exclusive", ["5"]],
        ["exclusive", ["3"]],
        ["shared", ["4", "6"]],
        ["exclusive", ["7"]],
      ],
    },
  ]);
});

test("a table without a log grants and queues as usual and reports no changed rows", () => {
  const [one, two] = [{ id: 1 }, { id: 2 }];
  const [logged, unlogged] = [lockTable(), unloggedLockTable()].map((table) => {
    table.request(one, [{ lock: "node/a", mode: "exclusive" }]);
    table.request(two, [{ lock: "node/a", mode: "shared" }]);
    table.releaseAll(one);
    return { rows: table.rows(), granted: table.takeGranted(), changes: table.takeChanges() };
  });
  expect(unlogged?.rows).toEqual(logged?.rows);
  expect(unlogged?.granted).toEqual([two]);
  expect(unlogged?.changes).toEqual({ holdsSet: [], holdsGone: [], waitsSet: [], waitsGone: [] });
  expect(logged?.changes.holdsSet).toHaveLength(1);
});

test("changed rows are reported once, each in its present state", () => {
  const table = lockTable();
  const [one, two] = [{ id: 1 }, { id: 2 }];
  table.request(one, [{ lock: "node/a", mode: "exclusive" }]);
  table.request(two, [{ lock: "node/a", mode: "shared" }]);
  expect(table.takeChanges()).toMatchObject({
    holdsSet: [{ owner: one, lock: "node/a", mode: "exclusive" }],
    waitsSet: [{ owner: two }],
    holdsGone: [],
  });
  table.releaseAll(one);
  expect(table.takeChanges()).toEqual({
    holdsSet: [{ owner: two, lock: "node/a", mode: "shared" }],
    holdsGone: [{ owner: one, lock: "node/a" }],
    waitsSet: [],
    waitsGone: [two],
  });
  expect(table.takeChanges()).toEqual({ holdsSet: [], holdsGone: [], waitsSet: [], waitsGone: [] });
});

test("rows in which two owners have one lock exclusively are refused as a broken invariant", () => {
  const hold = (id: number) => ({ owner: owner(id), lock: "node/a", mode: "exclusive" }) as const;
  const rows = { holds: [hold(1), hold(2)], waits: [] };
  expect(() => lockTable(rows)).toThrow("lock node/a");
  expect(() => lockTable({ ...rows, holds: [hold(1), hold(1)] })).not.toThrow();
});

// Readings of a list that follows events.
import { expect, test } from "vitest";
import { Collection } from "../src/api/collection.js";
import type { LiveEvent } from "../src/api/live.js";

interface Row {
  readonly uuid: string;
  readonly value: number;
}

function aList(rows: Record<string, number>) {
  const read: string[] = [];
  const at = { ms: 0, isBroken: false };
  const rowsOf = (keys: readonly string[]) => {
    if (at.isBroken) throw new Error("away");
    return keys.filter((key) => key in rows).map((uuid) => ({ uuid, value: rows[uuid] ?? 0 }));
  };
  const list = new Collection<Row>(
    {
      keyOf: ({ uuid }) => uuid,
      readAll: async () => {
        read.push("all");
        return rowsOf(Object.keys(rows));
      },
      readSome: async (keys) => {
        read.push(keys.join());
        return rowsOf(keys);
      },
      effectOf: (event) =>
        event.topic === "job"
          ? { rows: [{ uuid: `j${event.id}`, value: event.id }] }
          : {
              keys: event.changes.flatMap(({ type, uuid = "" }) => (type === "x" ? uuid : [])),
              isStale: event.changes.some(({ type }) => type !== "x"),
            },
    },
    () => at.ms,
  );
  const values = () => Object.fromEntries([...list.rows].map(([key, { value }]) => [key, value]));
  return { list, read, rows, at, values };
}

const changed = (type: string, ...uuids: string[]): LiveEvent => ({
  topic: "config",
  changes: uuids.map((uuid) => ({ type, change: "put", uuid })),
});

test("after the first reading only changed rows are read, and deleted ones leave the list", async () => {
  const { list, read, rows, values } = aList({ a: 1, b: 2, c: 3 });
  await list.refresh();
  rows.b = 20;
  delete rows.c;
  rows.d = 4;
  for (const key of ["b", "c", "d"]) expect(list.follow(changed("x", key)).isDue).toBe(true);
  await list.refresh();
  expect(values()).toEqual({ a: 1, b: 20, d: 4 });
  await list.refresh();
  expect(read).toEqual(["all", "b,c,d"]);
});

test("rows that an event contains need no reading", async () => {
  const { list, read, values } = aList({});
  await list.refresh();
  const event = { topic: "job", id: 7, status: "queued", summary: [] } as const;
  expect(list.follow(event)).toEqual({ isChanged: true, isDue: false });
  await list.refresh();
  expect(values()).toEqual({ j7: 7 });
  expect(read).toEqual(["all"]);
});

test("changes that are not urgent read the whole list once in 30 seconds", async () => {
  const { list, read, at } = aList({ a: 1 });
  await list.refresh();
  list.follow(changed("other", "z"));
  await list.refresh();
  expect(list.staleInMs).toBe(30_000);
  at.ms = 30_000;
  await list.refresh();
  expect(list.staleInMs).toBe(undefined);
  expect(read).toEqual(["all", "all"]);
});

test("after missed events, and after very many changes, the whole list is read", async () => {
  const { list, read } = aList({ a: 1 });
  await list.refresh();
  list.follow({ topic: "reset" });
  await list.refresh();
  list.follow(changed("x", ...Array.from({ length: 400 }, (_, at) => `k${at}`)));
  await list.refresh();
  expect(read).toEqual(["all", "all", "all"]);
});

test("rows whose reading failed are read the next time", async () => {
  const { list, at, rows, values } = aList({ a: 1 });
  at.isBroken = true;
  await expect(list.refresh()).rejects.toThrow("away");
  at.isBroken = false;
  await list.refresh();
  rows.a = 2;
  list.follow(changed("x", "a"));
  at.isBroken = true;
  await expect(list.refresh()).rejects.toThrow("away");
  at.isBroken = false;
  await list.refresh();
  expect(values()).toEqual({ a: 2 });
});

import { HaltError, LeaseLostError } from "@ganeti-ts/job-queue";
import type pg from "pg";
import { expect, test, vi } from "vitest";
import { StepHistory } from "./history.js";

/** A database at revision `newest` with these marks; `confirmed` counts waits for its disk. */
function aDatabase(newest: number, marks: Readonly<Record<number, string | null>> = {}) {
  const seen = { confirmed: 0 };
  const query = async (text: string, [numbers] = [[] as readonly number[]]) => {
    if (text.includes("on_disk")) seen.confirmed += 1;
    const found = numbers.filter((number) => marks[number] !== undefined);
    const rows = found.map((number) => ({ newest, number, mark: marks[number] ?? null }));
    return { rows: rows.length > 0 ? rows : [{ newest, number: null, mark: null }] };
  };
  return { seen, pool: { query } as unknown as pg.Pool };
}

const acknowledged = { number: 5, mark: "five" };

test.each([
  { why: "a known step that is there", newest: 5, marks: { 5: "five" }, loss: false },
  { why: "a step that is too old to have a mark", newest: 20_000, marks: {}, loss: false },
  { why: "a step of an older version, without a mark", newest: 5, marks: { 5: null }, loss: false },
  { why: "a step that is missing", newest: 4, marks: {}, loss: true },
  { why: "another step in its place", newest: 7, marks: { 5: "other" }, loss: true },
])("$why is a loss: $loss", async ({ newest, marks, loss }) => {
  const compared = new StepHistory(acknowledged).compare(aDatabase(newest, marks).pool);
  if (loss) await expect(compared).rejects.toBeInstanceOf(HaltError);
  else await compared;
});

test("a step that is acknowledged while the database answers is not missing in the answer", async () => {
  const history = new StepHistory(acknowledged);
  const { pool } = aDatabase(5, { 5: "five" });
  const compared = history.compare(pool);
  history.acknowledge({ number: 6, mark: "six" });
  await compared;
});

test("a lost step that was only read ends the process, whose successor can go on", async () => {
  const history = new StepHistory(acknowledged);
  history.hasRead({ revision: 6, mark: "six" }, aDatabase(6).pool);
  history.stop();
  const problem = await history.compare(aDatabase(5, { 5: "five" }).pool).catch((error) => error);
  expect(problem).toBeInstanceOf(LeaseLostError);
  expect(problem).not.toBeInstanceOf(HaltError);
  expect(history.acknowledged).toBe(acknowledged);
});

test("a step that was only read counts as acknowledged once the database has confirmed that it is durable", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const history = new StepHistory(acknowledged);
    const { seen, pool } = aDatabase(6, { 5: "five", 6: "six" });
    for (let n = 0; n < 3; n++) history.hasRead({ revision: 6, mark: "six" }, pool);
    await vi.advanceTimersByTimeAsync(2000);
    expect([history.acknowledged, seen.confirmed]).toEqual([{ number: 6, mark: "six" }, 1]);
    history.hasRead({ revision: 6, mark: "six" }, pool);
    await vi.advanceTimersByTimeAsync(2000);
    expect(seen.confirmed).toBe(1);
  } finally {
    vi.useRealTimers();
  }
});

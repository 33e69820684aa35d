import { expect, test } from "vitest";
import { JobSlots } from "./job-slots.js";

/** Work that ends on demand of the test; `under` counts calls in progress. */
function aWork() {
  const begun: number[] = [];
  const ends = new Map<number, { resolve(): void; reject(error: Error): void }>();
  let under = 0;
  let most = 0;
  return {
    begun,
    most: () => most,
    async of(item: number) {
      begun.push(item);
      most = Math.max(most, ++under);
      try {
        await new Promise<void>((resolve, reject) => ends.set(item, { resolve, reject }));
      } finally {
        under--;
      }
    },
    async end(item: number) {
      ends.get(item)?.resolve();
      await turn();
    },
    async fail(item: number) {
      ends.get(item)?.reject(new Error(`item ${item} failed`));
      await turn();
    },
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("all callers together use at most the available slots", async () => {
  const slots = new JobSlots(() => 3);
  const work = aWork();
  const both = [
    slots.each([0, 1, 2, 3], (item) => work.of(item)),
    slots.each([10, 11, 12, 13], (item) => work.of(item)),
  ];
  await turn();
  expect(work.begun).toEqual([0, 1, 2]);
  for (let at = 0; at < 8; at++) await work.end(work.begun[at] as number);
  await Promise.all(both);
  expect([...work.begun].sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 10, 11, 12, 13]);
  expect(work.most()).toBe(3);
});

test("one item at a time is carried out even if the limit is zero", async () => {
  const slots = new JobSlots(() => 0);
  const work = aWork();
  const done = slots.each([1, 2], (item) => work.of(item));
  await turn();
  expect(work.begun).toEqual([1]);
  await work.end(1);
  await work.end(2);
  await done;
});

test("after a failure no further item begins, and the caller gets the error once the others have ended", async () => {
  const slots = new JobSlots(() => 2);
  const work = aWork();
  let outcome = "open";
  const done = slots
    .each([1, 2, 3, 4], (item) => work.of(item))
    .catch((error: Error) => {
      outcome = error.message;
    });
  await turn();
  await work.fail(1);
  expect(outcome).toBe("open");
  await work.end(2);
  await done;
  expect(outcome).toBe("item 1 failed");
  expect(work.begun).toEqual([1, 2]);
  // The slots are free again.
  const later = slots.each([5, 6], (item) => work.of(item));
  await turn();
  expect(work.begun).toEqual([1, 2, 5, 6]);
  await work.end(5);
  await work.end(6);
  await later;
});

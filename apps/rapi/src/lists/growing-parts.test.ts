import fc from "fast-check";
import { expect, test } from "vitest";
import { streamOf } from "../http/parts.js";
import { GrowingParts } from "./growing-parts.js";

const partOf = (number: number) => new Uint8Array([number]);

const readAll = async (parts: AsyncIterable<Uint8Array>): Promise<readonly Uint8Array[]> => {
  const all: Uint8Array[] = [];
  for await (const part of parts) all.push(part);
  return all;
};

test("every reader gets the same parts, whenever it begins", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom("part", "reader", "turn"), { maxLength: 20 }),
      async (steps) => {
        const growing = new GrowingParts();
        const added: Uint8Array[] = [];
        const readers: Promise<readonly Uint8Array[]>[] = [];
        for (const step of steps) {
          if (step === "reader") readers.push(readAll(growing));
          else if (step === "turn") await Promise.resolve();
          else {
            const part = partOf(added.length);
            added.push(part);
            growing.add(part);
          }
        }
        expect(growing.parts).toBeUndefined();
        growing.end();
        readers.push(readAll(growing));
        expect(growing.parts).toEqual(added);
        for (const read of await Promise.all(readers)) {
          expect(read.map((part, at) => part === added[at])).toEqual(added.map(() => true));
        }
      },
    ),
  );
});

test("a failure reaches all readers, after the existing parts", async () => {
  const growing = new GrowingParts();
  const reader = growing[Symbol.asyncIterator]();
  growing.add(partOf(1));
  const next = [reader.next(), reader.next(), readAll(growing)];
  growing.fail(new Error("no further"));
  await expect(next[0]).resolves.toEqual({ done: false, value: partOf(1) });
  await expect(next[1]).rejects.toThrow("no further");
  await expect(next[2]).rejects.toThrow("no further");
  await expect(growing.whole).rejects.toThrow("no further");
});

/** A list that records whether it has been abandoned, and a promise for the next round of the event loop. */
function aList() {
  let isAbandoned = false;
  const growing = new GrowingParts(() => {
    isAbandoned = true;
  });
  growing.add(partOf(1));
  const abandoned = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return isAbandoned;
  };
  return { growing, abandoned };
}

test("a list is abandoned when its last reader leaves, also one that waits for the next part", async () => {
  const { growing, abandoned } = aList();
  const [first, second] = [growing[Symbol.asyncIterator](), growing[Symbol.asyncIterator]()];
  await second.next();
  const waiting = second.next();
  await first.return?.();
  await first.return?.();
  expect(await abandoned()).toBe(false);
  await second.return?.();
  expect(await abandoned()).toBe(true);
  growing.fail(new Error("abandoned"));
  await expect(waiting).resolves.toEqual({ done: true, value: undefined });
});

test.each<{ what: string; act: (growing: GrowingParts) => unknown }>([
  { what: "another reader comes at once", act: (growing) => growing[Symbol.asyncIterator]() },
  { what: "it is wanted as a whole", act: (growing) => growing.untilWhole() },
  { what: "it has become whole", act: (growing) => growing.end() },
])("a list whose last reader leaves goes on if $what", async ({ act }) => {
  const { growing, abandoned } = aList();
  const reader = growing[Symbol.asyncIterator]();
  await reader.next();
  await reader.return?.();
  act(growing);
  expect(await abandoned()).toBe(false);
});

test("a stream reads only as far as its client, and stops reading when the client disconnects", async () => {
  let read = 0;
  let isOver = false;
  async function* parts() {
    try {
      for (;;) yield partOf(read++);
    } finally {
      isOver = true;
    }
  }
  const reader = streamOf(parts()).getReader();
  expect((await reader.read()).value).toEqual(partOf(0));
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(read).toBe(1);
  await reader.read();
  expect(isOver).toBe(false);
  await reader.cancel();
  expect([read, isOver]).toEqual([2, true]);
});

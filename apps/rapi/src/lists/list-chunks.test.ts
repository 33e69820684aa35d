import fc from "fast-check";
import { expect, test } from "vitest";
import { blocksOf, type ItemSight, ListChunks } from "./list-chunks.js";

interface Item {
  readonly uuid: string;
  readonly fixed: { readonly text: string };
  live: number;
}

const item = (at: number): Item => ({
  uuid: `00000000-0000-4000-8000-${((at * 2_654_435_761) % 2 ** 32).toString(16).padStart(12, "0")}`,
  // Some texts have more bytes than characters.
  fixed: { text: at % 3 === 0 ? `${at} ü` : String(at) },
  live: 0,
});

const sights = new WeakMap<Item, ItemSight>();

/** Unchanged items have the same sight. */
function sightOf(one: Item): ItemSight {
  const sight = sights.get(one) ?? { fixed: one.fixed, live: [one.live] };
  sights.set(one, sight);
  return sight;
}

/** The chunks of the list, each with a comma before every item. */
function chunksOf(chunks: ListChunks, items: readonly Item[]): readonly Uint8Array[] {
  const pass = chunks.pass();
  const made = [...blocksOf(items)].map(({ start, end }) =>
    pass.chunk(
      (items[start] as Item).uuid,
      items.slice(start, end).map(sightOf),
      ({ fixed, live }) => JSON.stringify([(fixed as Item["fixed"]).text, live[0]]),
    ),
  );
  pass.end(true);
  return made;
}

const listed = (parts: readonly Uint8Array[]) =>
  JSON.parse(`[${Buffer.concat(parts).toString().slice(1)}]`);

test("the list equals that of all items after any change", () => {
  const step = fc.tuple(fc.constantFrom("add", "remove", "live", "fixed"), fc.nat(999));
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const chunks = new ListChunks();
      let items = Array.from({ length: 300 }, (_, at) => item(at));
      for (const [what, where] of [["start", 0] as const, ...steps]) {
        const at = where % (items.length + 1);
        const old = items[at];
        if (what === "add") items = items.toSpliced(at, 0, item(1000 + seen.size + where * 7));
        else if (what === "remove") items = items.toSpliced(at, 1);
        else if (old && what === "live") items = items.with(at, { ...old, live: old.live + 1 });
        else if (old) items = items.with(at, { ...old, fixed: { text: String(where) } });
        seen.set(what, (seen.get(what) ?? 0) + 1);
        expect(listed(chunksOf(chunks, items))).toEqual(
          items.map(({ fixed, live }) => [fixed.text, live]),
        );
      }
    }),
    { numRuns: 50 },
  );
  expect(seen.size).toBe(5);
});

test("a changed, new or removed item rewrites one chunk", () => {
  const items = Array.from({ length: 3000 }, (_, at) => item(at));
  const old = items[1500] as Item;
  for (const next of [
    items.with(1500, { ...old, live: 1 }),
    items.with(1500, { ...old, fixed: { text: "7" } }),
    items.toSpliced(1500, 0, item(5000)),
    items.toSpliced(1500, 1),
  ]) {
    const chunks = new ListChunks();
    const first = chunksOf(chunks, items);
    const after = chunksOf(chunks, next);
    expect(first.length).toBeGreaterThan(20);
    const kept = after.filter((part) => first.some((one) => one.buffer === part.buffer));
    // One chunk is new, or two if it was split.
    expect(after.length - kept.length).toBeLessThanOrEqual(2);
  }
});

test("an abandoned pass changes nothing, and each of several overlapping passes shows its own items", () => {
  const items = Array.from({ length: 3000 }, (_, at) => item(at));
  const chunks = new ListChunks();
  const first = chunksOf(chunks, items);
  const next = items.with(1500, { ...(items[1500] as Item), live: 1 });
  const abandoned = chunks.pass();
  const [block] = blocksOf(next);
  abandoned.chunk(
    "",
    next.slice(0, block?.end).map(({ fixed }) => ({ fixed, live: [7] })),
    String,
  );
  const overlapping = chunks.pass();
  expect(listed(chunksOf(chunks, next))[1500]).toEqual([items[1500]?.fixed.text, 1]);
  overlapping.end(true);
  expect(chunksOf(chunks, items).map(String)).toEqual(first.map(String));
});

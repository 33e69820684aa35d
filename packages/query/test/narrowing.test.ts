import type { FilterExpression, FilterValue } from "@ganeti-ts/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  decodeFilter,
  FieldIndex,
  FilterError,
  type IndexedLeaf,
  narrowed,
  normal,
  planQuery,
  type QueryField,
  type QueryResource,
  resultStatus,
} from "../src/index.js";

interface Item {
  readonly id: string;
  readonly host: unknown;
  readonly size: unknown;
  readonly tags: unknown;
  readonly since: readonly [number, number];
}

const absent = Symbol("absent");

const field = (name: keyof Item, seenAs?: QueryField<Item>["seenAs"]): QueryField<Item> => ({
  definition: { name, title: name, kind: "other", doc: name },
  entry: (item) => (item[name] === absent ? [resultStatus.unavailable, null] : normal(item[name])),
  seenAs,
});

const fields = [
  field("id"),
  field("host", "hostname"),
  field("size"),
  field("tags"),
  field("since", "timestamp"),
];

const resource: QueryResource<Item> = {
  title: "Item",
  nameField: "id",
  name: ({ id }) => id,
  fields,
};

/** Indexes of all fields but `id`, after items have come, gone and changed. */
function indexesOf(history: readonly (readonly Item[])[]) {
  const indexes = new Map<string, FieldIndex>();
  for (const { definition, seenAs, entry } of fields) {
    if (definition.name === "id") continue;
    for (const kind of ["compare", "contains"] as const) {
      const index = new FieldIndex(kind, seenAs);
      let before: readonly Item[] = [];
      for (const items of history) {
        const now = new Set(items);
        const kept = new Set(before.filter((item) => now.has(item)));
        for (const item of before) if (!kept.has(item)) index.remove(item.id, entry(item) as never);
        for (const item of items) if (!kept.has(item)) index.add(item.id, entry(item) as never);
        before = items;
      }
      indexes.set(`${kind} ${definition.name}`, index);
    }
  }
  return (leaf: IndexedLeaf) => indexes.get(`${leaf.kind} ${leaf.field}`);
}

/** The ids of the rows, or the words of the refusal. */
function found(items: readonly Item[], filter: FilterExpression): unknown {
  try {
    const plan = planQuery(resource, ["id"], decodeFilter(filter));
    return plan.answer(plan.candidates(items)).data.map(([entry]) => entry?.[1]);
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    return error.message;
  }
}

const text = fc.constantFrom("a", "b", "a.x", "a.x.y", "");
const number = fc.constantFrom(0, 1, 2.5, 7n);
const rarely = <T>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<unknown>) =>
  fc.oneof(
    { weight: 40, arbitrary: usual as fc.Arbitrary<unknown> },
    { weight: 1, arbitrary: rare },
  );
const unusual = fc.constantFrom<unknown>(absent, null, true, 3, "3", [1, "a"], Number.NaN);

const itemOf = (id: string) =>
  fc.record({
    id: fc.constant(id),
    host: rarely(text, unusual),
    size: rarely(number, unusual),
    tags: rarely(fc.array(text, { maxLength: 3 }), unusual),
    since: fc.tuple(fc.nat(2), fc.nat(9)),
  });

const items = fc
  .uniqueArray(fc.nat(99), { maxLength: 12 })
  .chain((ids) => fc.tuple(...ids.map((id) => itemOf(`item${id}`))));

const value = fc.oneof(text, fc.constantFrom(0, 1, 7n)) as fc.Arbitrary<FilterValue>;
const leaf = fc.oneof(
  fc.tuple(fc.constant("=="), fc.constantFrom("host", "host", "size", "tags", "since"), value),
  fc.tuple(fc.constant("=[]"), fc.constantFrom("tags", "tags", "host"), value),
  fc.tuple(fc.constant("<"), fc.constantFrom("size", "host"), value),
  fc.tuple(fc.constant("?"), fc.constant("size")),
) as unknown as fc.Arbitrary<FilterExpression>;

const { filter } = fc.letrec<{ filter: FilterExpression }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    fc.tuple(fc.constantFrom("&", "|"), tie("filter"), tie("filter"), tie("filter")),
    fc.tuple(fc.constant("!"), tie("filter")),
  ) as unknown as fc.Arbitrary<FilterExpression>,
}));

test("judging only the narrowed items gives the same rows and the same refusals", () => {
  const seen = { narrowed: 0, fewer: 0, refused: 0, notNarrowed: 0, fewerRefused: 0 };
  fc.assert(
    fc.property(fc.array(items, { minLength: 1, maxLength: 3 }), filter, (history, wanted) => {
      const now = history.at(-1) as readonly Item[];
      const expected = found(now, wanted);
      if (typeof expected === "string") seen.refused++;
      const ids = narrowed(decodeFilter(wanted), indexesOf(history));
      if (ids === undefined) {
        seen.notNarrowed++;
        return;
      }
      seen.narrowed++;
      const some = now.filter(({ id }) => ids.has(id));
      expect(some).toHaveLength(ids.size);
      if (some.length < now.length) {
        seen.fewer++;
        if (typeof expected === "string") seen.fewerRefused++;
      }
      expect(found(some, wanted)).toEqual(expected);
    }),
    { numRuns: 2000 },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(20);
});

test("the refusal is that of the first item in natural order, wherever it stands", () => {
  const of = (id: string, size: unknown) => ({
    id,
    host: "a",
    size,
    tags: [],
    since: [0, 0] as const,
  });
  const all = [of("item10", "ten"), of("item9", "nine"), of("item1", 1)];
  expect(found(all, ["==", "size", 1])).toMatch('trying to compare "nine"');
});

test("a condition that fails is judged although a later one excludes its items", () => {
  const of = (id: string, host: string, size: unknown): Item => ({
    ...{ id, host, size, tags: ["a"], since: [0, 0] },
  });
  const all = [of("item1", "b", true), of("item2", "b", false), of("item3", "c", 5)];
  const inner: FilterExpression = ["&", ["=[]", "tags", "a"], ["?", "size"]];
  const wanted: FilterExpression = ["&", inner, ["==", "host", "b"]];
  const ids = narrowed(decodeFilter(wanted), indexesOf([all])) as ReadonlySet<string>;
  const some = all.filter(({ id }) => ids.has(id));
  expect(found(some, wanted)).toBe("Unexpected value '5' in boolean context");
});

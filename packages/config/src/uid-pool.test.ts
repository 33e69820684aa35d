import fc from "fast-check";
import { expect, test } from "vitest";
import {
  checkUidPool,
  expandUidPool,
  formatUidPool,
  parseUidPool,
  withoutUids,
  withUids,
} from "./uid-pool.js";

test.each([
  {
    why: "ranges and single ids are sorted",
    text: "30,10-20",
    pool: [
      [10, 20],
      [30, 30],
    ],
  },
  {
    why: "blanks and empty parts do not count",
    text: " 5 - 7 , ,9,",
    pool: [
      [5, 7],
      [9, 9],
    ],
  },
  {
    why: "the files of nodes have a line each",
    text: "1\n3-4\n",
    pool: [
      [1, 1],
      [3, 4],
    ],
  },
  { why: "nothing is an empty pool", text: "", pool: [] },
])("$why", ({ text, pool }) => expect(parseUidPool(text)).toEqual(pool));

test.each([
  ["1-2-3", "Invalid user-id range definition. Only one hyphen allowed: ['1', '2', '3']"],
  ["a-5", "Invalid user-id value for lower boundary of user-id range: "],
  ["5-b", "Invalid user-id value for higher boundary of user-id range: "],
])("'%s' is refused", (text, message) => expect(() => parseUidPool(text)).toThrow(message));

test.each([
  [[5, 3], "Lower user-id range boundary value (5) is larger than higher boundary value (3)"],
  [[-1, 3], "Lower user-id range boundary value (-1) is smaller than UIDPOOL_UID_MIN (0)."],
  [
    [1, 4_294_967_296],
    "Higher user-id boundary value (4294967296) is larger than UIDPOOL_UID_MAX (4294967295).",
  ],
] as const)("range %s is refused", (range, message) => {
  expect(() =>
    checkUidPool([
      [1, 2],
      [range[0], range[1]],
    ]),
  ).toThrow(message);
});

test.each([
  {
    why: "apart",
    pool: [[5, 9]],
    added: [[1, 3]],
    sum: [
      [1, 3],
      [5, 9],
    ],
  },
  { why: "the same", pool: [[5, 9]], added: [[5, 9]], sum: [[5, 9]] },
  { why: "within", pool: [[5, 9]], added: [[5, 7]], sum: [[5, 9]] },
  {
    why: "overlapping",
    pool: [
      [5, 9],
      [20, 30],
    ],
    added: [[8, 21]],
    sum: [[5, 30]],
  },
  {
    why: "next to each other",
    pool: [[5, 9]],
    added: [[10, 12]],
    sum: [
      [5, 9],
      [10, 12],
    ],
  },
])("an added range that is $why gives $sum", ({ pool, added, sum }) => {
  expect(withUids(pool as never, added as never)).toEqual(sum);
});

test.each([
  { why: "a whole range", removed: [[4000, 4019]], rest: [[1, 3]] },
  {
    why: "its middle",
    removed: [[4005, 4007]],
    rest: [
      [1, 3],
      [4000, 4004],
      [4008, 4019],
    ],
  },
  {
    why: "its ends",
    removed: [
      [4000, 4001],
      [4019, 4019],
    ],
    rest: [
      [1, 3],
      [4002, 4018],
    ],
  },
])("$why can be removed from a pool", ({ removed, rest }) => {
  expect(
    withoutUids(
      [
        [1, 3],
        [4000, 4019],
      ],
      removed as never,
    ),
  ).toEqual(rest);
});

test("a range of which the pool does not have all is not removed", () => {
  for (const [low, high] of [
    [4018, 4020],
    [5, 6],
  ] as const) {
    expect(() =>
      withoutUids(
        [
          [1, 3],
          [4000, 4019],
        ],
        [[low, high]],
      ),
    ).toThrow(
      `User-id range to be removed is not found in the current user-id pool: (${low}, ${high})`,
    );
  }
});

test("overlapping ranges expand to each id once", () => {
  expect([
    ...expandUidPool([
      [1, 3],
      [2, 4],
    ]),
  ]).toEqual([1, 2, 3, 4]);
});

test("what is written is read back", () => {
  const range = fc.tuple(fc.nat(), fc.nat(1000)).map(([low, size]) => [low, low + size] as const);
  fc.assert(
    fc.property(fc.array(range), fc.constantFrom(", ", "\n", ","), (ranges, separator) => {
      const pool = withUids([], ranges);
      expect(parseUidPool(formatUidPool(pool, separator))).toEqual(pool);
    }),
  );
});

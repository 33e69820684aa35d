// Texts of plans: numbers of jobs in the URL, moves in words, and options of the balance as a request.
import fc from "fast-check";
import { expect, test } from "vitest";
import { faultsOf, formIn, moveWords, questionOf } from "../src/pages/plans/balance-question.js";
import { adviceOn, scopeOf } from "../src/pages/plans/evacuation.js";
import { idsIn, textOfIds } from "../src/pages/plans/job-ids.js";

test("job ids survive the round trip through the URL, in which ranges are one part", () => {
  expect(textOfIds([12, 13, 14, 21])).toBe("12-14,21");
  const ids = fc.uniqueArray(fc.integer({ min: 0, max: 500 }), { maxLength: 60 });
  fc.assert(
    fc.property(ids, (some) => {
      const sorted = some.toSorted((a, b) => a - b);
      expect(idsIn(textOfIds(some))).toEqual(sorted);
    }),
    { examples: [[[]], [[0]], [[1, 2, 3, 5]]] },
  );
});

test("more jobs in an address than a plan can have are ignored, and so are texts that are not ids", () => {
  expect(idsIn("1-999999999999")).toHaveLength(10_000);
  expect(idsIn("x,-1,1-,5-3,7,<b>")).toEqual([7]);
});

test.each([
  ["f", "migrate"],
  ["r:node3 f", "new secondary node3, then migrate"],
  ["f r:node3 f", "migrate, then new secondary node3, then migrate"],
  ["fa:node4", "migrate to node4"],
])("the move %s is shown as: %s", (move, words) => {
  expect(moveWords(move)).toBe(words);
});

test("options of the balance become a request, without the empty ones, for which the server has defaults", () => {
  const read = (text: string) => formIn(new URLSearchParams(text));
  expect(questionOf(read("group=g1"))).toEqual({ group: "g1", max_moves: 100 });
  const all = "group=g1&moves=5&gain=0.5&gainlimit=2&tags=a,b c&stay=x y&keep=disks";
  expect(questionOf(read(all))).toEqual({
    ...{ group: "g1", max_moves: 5, min_gain: 0.5, min_gain_limit: 2, disk_moves: false },
    ...{ exclusion_tags: ["a", "b", "c"], exclude_instances: ["x", "y"] },
  });
  expect(questionOf(read("keep=evacuate"))).toEqual({ max_moves: 100, evac_mode: true });
});

test.each([
  ["moves=0", undefined],
  ["moves=1000", undefined],
  ["moves=1001", "A number up to 1000"],
  ["moves=-1", "A number up to 1000"],
  ["moves=", "A number up to 1000"],
])("the limit of %s has the fault %s", (text, fault) => {
  expect(faultsOf(formIn(new URLSearchParams(text))).moves).toBe(fault);
});

test("an instance that stays has advice that fits the reason", () => {
  expect(adviceOn("Instances of type plain cannot be relocated")).toContain("this node only");
  expect(adviceOn("FailMem")).toContain("no room");
  expect(adviceOn("Its secondary node n2 is drained or offline")).toContain("Bring that node back");
  expect(adviceOn("another reason")).toBe(undefined);
  expect([scopeOf("all"), scopeOf("<b>"), scopeOf(null)]).toEqual([
    "all",
    "primaries",
    "primaries",
  ]);
});

import { expect, test } from "vitest";
import { lengthOf, prepend, toArray, without } from "./index-list.js";

const listOf = (...indices: number[]) =>
  indices.reduceRight<ReturnType<typeof without>>((rest, index) => prepend(index, rest), undefined);

test("the newest comes first", () => {
  expect(toArray(prepend(3, listOf(2, 1)))).toEqual([3, 2, 1]);
  expect(lengthOf(listOf(2, 1))).toBe(2);
  expect(lengthOf(undefined)).toBe(0);
});

test("removing takes the first of equals and nothing where there is none", () => {
  const list = listOf(1, 2, 3, 2);
  expect(toArray(without(list, 2))).toEqual([1, 3, 2]);
  expect(without(list, 9)).toBe(list);
  expect(without(listOf(1), 1)).toBeUndefined();
  expect(lengthOf(without(list, 2))).toBe(3);
});

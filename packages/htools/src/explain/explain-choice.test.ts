import { expect, test } from "vitest";
import { decisive } from "./explain-choice.js";

test("differences that are zero in the printed digits are not named as a reason", () => {
  expect(
    decisive([
      { term: "free_mem_cv", amount: 0.25 },
      { term: "disk_load_cv", amount: -1e-12 },
    ]),
  ).toBe(", worse in free_mem_cv by 0.25000000");
  expect(decisive([{ term: "disk_load_cv", amount: 4e-9 }])).toBe("");
  expect(decisive([{ term: "disk_load_cv", amount: 6e-9 }])).toBe(
    ", worse in disk_load_cv by 0.00000001",
  );
});

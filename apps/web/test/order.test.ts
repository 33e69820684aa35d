import { expect, test } from "vitest";
import { nextOrder, ordered } from "../src/parts/order.js";
import { sizeText } from "../src/words.js";

test("numbers in names count as numbers, unknown values come last, and a minus reverses", () => {
  const rows = [{ n: "web10" }, { n: null }, { n: "web9" }];
  expect(ordered(rows, "n").map(({ n }) => n)).toEqual(["web9", "web10", null]);
  expect(ordered(rows, "-n").map(({ n }) => n)).toEqual(["web10", "web9", null]);
  expect([nextOrder("n", "n"), nextOrder("-n", "n")]).toEqual(["-n", "n"]);
});

test("sizes have a suitable unit", () => {
  expect([null, 512, 1536, 3 * 1024 * 1024].map(sizeText)).toEqual([
    "–",
    "512 MiB",
    "1.5 GiB",
    "3 TiB",
  ]);
});

import { expect, test } from "vitest";
import { addressesMax, perSecondLimit } from "./server.js";

const at = { micros: 5_000_000 };
const clock = { wallMicros: () => at.micros };
const passed = (isWithin: (address: string) => boolean, addresses: readonly string[]) =>
  addresses.filter((address) => isWithin(address)).length;
const times = (count: number, address: string) => Array.from({ length: count }, () => address);

test("one address gets half of the rate, others the rest, and each second begins again", () => {
  const isWithin = perSecondLimit(10, clock);
  expect(passed(isWithin, times(9, "192.0.2.1"))).toBe(5);
  expect(passed(isWithin, times(3, "192.0.2.2"))).toBe(3);
  expect(passed(isWithin, times(9, "192.0.2.3"))).toBe(2);
  at.micros += 999_999;
  expect(isWithin("192.0.2.2")).toBe(false);
  at.micros += 1;
  expect(passed(isWithin, times(9, "192.0.2.1"))).toBe(5);
});

test("a clock that is set back begins a new second", () => {
  const isWithin = perSecondLimit(2, clock);
  expect(passed(isWithin, ["a", "b", "c"])).toBe(2);
  at.micros -= 3_600_000_000;
  expect(isWithin("c")).toBe(true);
});

test("addresses beyond those that are counted apart share one share", () => {
  const isWithin = perSecondLimit(10 * addressesMax, clock);
  const share = 5 * addressesMax;
  expect(
    passed(
      isWithin,
      Array.from({ length: addressesMax }, (_, n) => `a${n}`),
    ),
  ).toBe(addressesMax);
  expect(
    passed(
      isWithin,
      Array.from({ length: share + 100 }, (_, n) => `b${n}`),
    ),
  ).toBe(share);
  expect(isWithin("a7")).toBe(true);
});

test("without a rate everything passes", () => {
  const isWithin = perSecondLimit(undefined, clock);
  expect(passed(isWithin, times(100_000, "a"))).toBe(100_000);
});

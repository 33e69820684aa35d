import { expect, test } from "vitest";
import {
  brokenInvariants,
  InvariantError,
  invariant,
  onBrokenInvariant,
  reportUnless,
} from "./invariant.js";

test("a broken invariant ends the work, is counted, and is reported with its text until the listener leaves", () => {
  const texts: string[] = [];
  const stop = onBrokenInvariant(({ message }) => texts.push(message));
  const before = brokenInvariants();
  invariant(true, () => expect.unreachable("made for nothing"));
  expect(() => invariant(false, () => "job 7: is claimed twice")).toThrow(InvariantError);
  reportUnless(false, "lock a: held twice");
  expect(texts).toEqual(["job 7: is claimed twice", "lock a: held twice"]);
  stop();
  reportUnless(false, "nobody listens");
  expect(texts).toHaveLength(2);
  expect(brokenInvariants()).toBe(before + 3);
});

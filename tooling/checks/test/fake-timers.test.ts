import { expect, test } from "vitest";
import { trackedFiles } from "../src/repository.js";

test("files with fake timers are named so, because a fake clock would drive other files of its process", () => {
  const own = "tooling/checks/test/fake-timers.test.ts";
  const tests = trackedFiles().filter(({ path }) => path.endsWith(".test.ts") && path !== own);
  const fake = tests.filter(({ text }) => text.includes("useFakeTimers"));
  expect(fake.length).toBeGreaterThan(0);
  expect(fake.filter(({ path }) => !path.endsWith(".timers.test.ts"))).toEqual([]);
});

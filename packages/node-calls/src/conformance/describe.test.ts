import { expect, test } from "vitest";
import { describeNodeBackend, laws, type TestRunner } from "../conformance.js";

const declared = (lacks: Parameters<typeof describeNodeBackend>[1]["lacks"] = []) => {
  const [run, skipped]: [string[], string[]] = [[], []];
  const runner: TestRunner = {
    describe: (_, body) => body(),
    test: Object.assign((title: string) => void run.push(title), {
      skip: (title: string) => void skipped.push(title),
    }),
  };
  const open = () => Promise.reject(new Error("nothing is opened before a test runs"));
  describeNodeBackend("x", { open, lacks }, runner);
  return { run, skipped };
};

test("every law is declared twice, and laws of lacking capabilities are skipped by name", () => {
  expect(declared()).toMatchObject({ run: { length: 2 * laws.length }, skipped: [] });
  const { run, skipped } = declared(["lvm", "exports"]);
  expect(run.length + skipped.length).toBe(2 * laws.length);
  expect(skipped).toContain("An aborted transfer ends with a failure. [lacks exports]");
  expect(skipped.some((title) => title.endsWith("[lacks exports, lvm]"))).toBe(true);
  expect(run.some((title) => title.includes("lacks"))).toBe(false);
});

test("titles of laws are different sentences", () => {
  const titles = laws.map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
  expect(titles.filter((title) => !/^[A-Z].*\.$/.test(title))).toEqual([]);
});

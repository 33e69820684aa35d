// Exchanges written for these tests: one or more of every method, and refusals of each kind.
import { readFileSync } from "node:fs";
import { luxiMethods } from "@ganeti-ts/luxi";
import { expect, test } from "vitest";
import { exchangesOf, problemOf } from "./exchanges.js";

const file = new URL("fixtures/exchanges.json", import.meta.url);
const exchanges = exchangesOf("exchanges.json", readFileSync(file, "utf8"));

test.each(exchanges)("$request is read, written and refused as Ganeti does", (exchange) => {
  expect(problemOf(exchange)).toBeUndefined();
});

test("the exchanges contain every method but QueryClusterInfo, whose answer is recorded only", () => {
  const methods = new Set(exchanges.map(({ request }) => /"method":"(\w+)"/.exec(request)?.[1]));
  expect(Object.keys(luxiMethods).filter((method) => !methods.has(method))).toEqual([
    "QueryClusterInfo",
  ]);
});

// Exchanges written for these tests: one or more of every method, and refusals of each kind.
import { readFileSync } from "node:fs";
import { decodeRequest, luxiMethods } from "@ganeti-ts/luxi";
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

test.each([
  { method: "QueryNodes", args: [[], ["name"], true], text: "Sync queries are not allowed" },
  { method: "QueryExports", args: [[], true], text: "Sync queries are not allowed" },
  {
    method: "Query",
    args: ["os", ["name"], null],
    text: "Query 'ItemTypeOpCode QROs' not supported",
  },
  { method: "ReplaceFilter", args: ["x", 1, [], "ACCEPT", []], text: "Unable to parse UUID" },
])("$method $args is refused before any handler sees it: $text", ({ method, args, text }) => {
  const message = new TextEncoder().encode(JSON.stringify({ method, args }));
  expect(() => decodeRequest(message)).toThrow(
    expect.objectContaining({ name: "GanetiError", values: expect.arrayContaining([text]) }),
  );
});

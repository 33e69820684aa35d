import { expect, test } from "vitest";
import {
  decodeFilter,
  FilterError,
  FilterTextError,
  filterFromArguments,
  parseFilter,
} from "../src/index.js";
import argumentVectors from "./vectors/arguments.json" with { type: "json" };
import refusedVectors from "./vectors/refused.json" with { type: "json" };
import textVectors from "./vectors/texts.json" with { type: "json" };

test.each(textVectors.accepted)("$text is read as $json", ({ text, json }) => {
  expect(parseFilter(text)).toEqual(json);
});

test.each(textVectors.refused)("%j is refused as a filter text", (text) => {
  expect(() => parseFilter(text)).toThrow(FilterTextError);
  expect(() => parseFilter(text)).toThrow(`Failed to parse query filter '${text}': `);
});

test("a refusal shows the line, a caret under the place, and the place in figures", () => {
  const error = refusal(() => parseFilter("a == 1 and\nb == true"));
  expect(error).toMatchObject({ position: 16, code: "wrong_text" });
  expect((error as FilterTextError).details).toEqual([
    "b == true",
    "     ^",
    "Expected a string or a number  (at char 16), (line:2, col:6)",
  ]);
});

test.each([
  ["x == 1 and", "Expected a condition  (at char 10), (line:1, col:11)"],
  ["x or == 1", "Expected a condition  (at char 5), (line:1, col:6)"],
  ["(x == 1", "Expected ')'  (at char 7), (line:1, col:8)"],
])("%s is refused with what was expected there", (text, why) => {
  expect(refusal(() => parseFilter(text)).message).toBe(
    `Failed to parse query filter '${text}': ${why}`,
  );
});

test.each([
  ["x =~ m/a/xI", "Unknown regular expression flags: 'xI'  (at char 5), (line:1, col:6)"],
  [
    "x =~ m/(/",
    "Invalid regular expression (missing closing ): `(`)  (at char 5), (line:1, col:6)",
  ],
])("%s is refused for its regular expression", (text, why) => {
  expect(refusal(() => parseFilter(text)).message).toBe(
    `Failed to parse query filter '${text}': ${why}`,
  );
});

test("whole numbers of any length are exact", () => {
  expect(parseFilter("x == 1700000000000000001")).toEqual(["==", "x", 1700000000000000001n]);
});

test("a text nested too deeply is refused, and one that is just not is read", () => {
  const nested = (depth: number) => `${"(".repeat(depth)}a${")".repeat(depth)}`;
  expect(() => parseFilter(nested(100_000))).toThrow("Nested deeper than 200 levels");
  expect(parseFilter(nested(199))).toEqual(["?", "a"]);
  expect(() => parseFilter("not ".repeat(100_000))).toThrow("Nested deeper than 200 levels");
});

test.each(argumentVectors.accepted)("arguments $args with $options select $json", (vector) => {
  expect(filterFromArguments(vector.args, vector.options as never)).toEqual(vector.json);
});

test.each(argumentVectors.refused)("arguments $args with $options are refused", (vector) => {
  const error = refusal(() => filterFromArguments(vector.args, vector.options));
  expect(error).toMatchObject({ code: "wrong_arguments", message: vector.message });
});

test.each(refusedVectors)("$json is refused as a filter: $message", ({ json, message }) => {
  const error = refusal(() => decodeFilter(json));
  expect(error).toMatchObject({ code: "wrong_filter", message });
});

test("a filter nested too deeply is refused", () => {
  let filter: unknown = null;
  for (let i = 0; i < 100_000; i++) filter = ["!", filter];
  expect(() => decodeFilter(filter)).toThrow("nested deeper than 200 levels");
});

function refusal(attempt: () => unknown): FilterError {
  try {
    attempt();
  } catch (error) {
    if (error instanceof FilterError) return error;
    throw error;
  }
  throw new Error("was not refused");
}

import fc from "fast-check";
import { expect, test } from "vitest";
import { FilterTextError, parseFilter } from "../../src/index.js";
import answers from "./answers.json" with { type: "json" };
import { originalInstalled, parsedByOriginal } from "./original.js";
import { filterTexts } from "./texts.js";

// Recorded with `parsedByOriginal`, pyparsing 3.0.9.
test(`${answers.length} texts are read as the original has read them`, () => {
  for (const [text, answer] of answers) expect([text, ours(text as string)]).toEqual([text, answer]);
  expect(answers.filter(([, answer]) => answer !== "refused").length).toBeGreaterThan(100);
});

test.skipIf(!originalInstalled)(
  originalInstalled
    ? "random texts are read as the installed original reads them"
    : "SKIPPED, as Ganeti 3.0 or pyparsing is not installed: random texts read as the original does",
  () => {
    const texts = fc.sample(filterTexts, 300);
    const original = parsedByOriginal(texts);
    texts.forEach((text, at) => {
      expect([text, ours(text)]).toEqual([text, original[at]]);
    });
    expect(new Set(original.map((answer) => answer === "refused")).size).toBe(2);
  },
);

function ours(text: string): unknown {
  try {
    return parseFilter(text);
  } catch (error) {
    if (error instanceof FilterTextError) return "refused";
    throw error;
  }
}

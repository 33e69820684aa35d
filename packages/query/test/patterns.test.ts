import fc from "fast-check";
import { expect, test } from "vitest";
import { compilePattern, searchedMax } from "../src/index.js";

test.each([
  { pattern: "^b$", text: "a\nb\nc", found: true, why: "^ and $ match at line breaks" },
  { pattern: "a.c", text: "a\nc", found: false, why: "a dot is no line break" },
  { pattern: "(?s)a.c", text: "a\nc", found: true, why: "unless s says so" },
  { pattern: "(?i)ABC", text: "xabcx", found: true, why: "i ignores case" },
  { pattern: "(?is)A.C", text: "a\nc", found: true, why: "both flags at once" },
  { pattern: "a.b", text: "a.b", found: true, why: "metacharacters are not literal" },
  { pattern: "node1", text: "xnode12", found: true, why: "a search is not anchored" },
  { pattern: "", text: "", found: true, why: "nothing is found anywhere" },
  { pattern: "\\bbig\\b", text: "a big one", found: true, why: "word boundaries" },
  { pattern: "[[:digit:]]{2}", text: "a1b22", found: true, why: "classes by name" },
])("/$pattern/ in $text: $found ($why)", ({ pattern, text, found }) => {
  expect(compilePattern(pattern).found(text)).toBe(found);
});

test("what JavaScript finds with the common subset of both dialects is found", () => {
  const atom = fc.constantFrom(
    ...["a", "b", "ab", ".", "[ab]", "[^a]", "\\d", "\\.", "(a|b)", "(?:ab)"],
    ...["[|]", "\\|", "[(]", "\\(", "[)]", "\\)"],
  );
  const piece = fc
    .tuple(atom, fc.constantFrom("", "*", "+", "?", "{1,2}"))
    .map((two) => two.join(""));
  const pattern = fc
    .tuple(
      fc.constantFrom("", "^"),
      fc.array(piece, { minLength: 1, maxLength: 4 }),
      fc.constantFrom("", "$"),
    )
    .map(([start, pieces, end]) => start + pieces.join("") + end);
  const alternatives = fc
    .array(pattern, { minLength: 1, maxLength: 2 })
    .map((patterns) => patterns.join("|"));
  const text = fc.string({
    unit: fc.constantFrom("a", "b", "1", ".", "\n", "|", "(", "é", "😀"),
    maxLength: 8,
  });
  const seen = { found: 0, missed: 0 };
  fc.assert(
    fc.property(alternatives, text, (source, searched) => {
      const found = compilePattern(source).found(searched);
      expect(found).toBe(new RegExp(source, "mu").test(searched));
      seen[found ? "found" : "missed"]++;
    }),
    { numRuns: 1500 },
  );
  expect(Math.min(seen.found, seen.missed)).toBeGreaterThan(20);
});

// Each takes a backtracking engine longer than the age of the universe.
test.each([
  { pattern: "(x+x+)+y", text: "x".repeat(16_000) },
  { pattern: "(a|a)*$b", text: "a".repeat(16_000) },
  { pattern: "(a|aa)+$", text: `${"a".repeat(16_000)}!` },
  { pattern: "^(([a-z])+.)+[A-Z]([a-z])+$", text: "a".repeat(16_000) },
  { pattern: "(.*a){20}b", text: "a".repeat(16_000) },
  { pattern: "(a?){50}a{50}b", text: "a".repeat(5_000) },
  { pattern: "(a|x)*a.{900}(c|d)", text: "ab".repeat(1000) },
])("/$pattern/ does not stall on a hostile text", ({ pattern, text }) => {
  expect(compilePattern(pattern).found(text)).toBe(pattern === "(a|aa)+$" && !text.endsWith("!"));
});

test("only the first characters of a huge text are searched", () => {
  const text = `${"a".repeat(searchedMax - 1)}bc`;
  expect(compilePattern("b").found(text)).toBe(true);
  expect(compilePattern("c").found(text)).toBe(false);
  expect(compilePattern("[c]").found(text)).toBe(false);
});

import type { FilterExpression } from "@ganeti-ts/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  decodeFilter,
  encodeFilter,
  type FilterLeaf,
  filterJudge,
  type Verdict,
} from "../src/index.js";

/** Leaves are bare fields named for their verdict. */
const expressions = fc.letrec<{ expression: FilterExpression }>((tie) => ({
  expression: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<FilterExpression>(["?", "yes"], ["?", "no"], ["?", "unsaid"]),
    fc.constant(null),
    fc
      .tuple(
        fc.constantFrom("&" as const, "|" as const),
        fc.array(tie("expression"), { maxLength: 3 }),
      )
      .map(([operator, parts]): FilterExpression => [operator, ...parts]),
    tie("expression").map((part): FilterExpression => ["!", part]),
  ),
})).expression;

const verdicts: Readonly<Record<string, Verdict>> = { yes: true, no: false };

function judged(expression: FilterExpression, asked: string[] = []): Verdict {
  const leafJudge = (leaf: FilterLeaf) => () => {
    asked.push(leaf.field);
    return verdicts[leaf.field];
  };
  return filterJudge<void>(decodeFilter(expression), leafJudge)();
}

/** The same by the letter of the specification, without stopping early. */
function byTheLetter(expression: FilterExpression): Verdict {
  if (expression === null) return true;
  if (expression[0] === "?") return verdicts[expression[1]];
  if (expression[0] === "!") {
    const verdict = byTheLetter(expression[1] as FilterExpression);
    return verdict === undefined ? undefined : !verdict;
  }
  const all = (expression.slice(1) as FilterExpression[]).map(byTheLetter);
  const usual = expression[0] === "&";
  return all.every((verdict) => verdict === usual)
    ? usual
    : all.find((verdict) => verdict !== usual);
}

test("and, or, not give what each says, however they are nested", () => {
  const seen = new Map<Verdict, number>();
  fc.assert(
    fc.property(expressions, (expression) => {
      const verdict = judged(expression);
      expect(verdict).toBe(byTheLetter(expression));
      seen.set(verdict, (seen.get(verdict) ?? 0) + 1);
    }),
    { numRuns: 500 },
  );
  for (const verdict of [true, false, undefined]) expect(seen.get(verdict)).toBeGreaterThan(20);
});

test.each([
  { expression: ["&", ["?", "no"], ["?", "yes"]], asked: ["no"] },
  { expression: ["&", ["?", "unsaid"], ["?", "no"]], asked: ["unsaid"] },
  { expression: ["|", ["?", "yes"], ["?", "no"]], asked: ["yes"] },
  { expression: ["|", ["?", "unsaid"], ["?", "yes"]], asked: ["unsaid"] },
  { expression: ["|", ["?", "no"], ["?", "yes"]], asked: ["no", "yes"] },
] as const)("$expression asks $asked and stops", ({ expression, asked }) => {
  const really: string[] = [];
  judged(expression, really);
  expect(really).toEqual(asked);
});

test("the JSON form of a filter reads as the same filter", () => {
  const value = fc.oneof(fc.string(), fc.integer(), fc.bigInt({ min: 2n ** 53n }));
  const leaf = fc.oneof(
    fc.tuple(fc.constantFrom("==", "<", "<=", ">", ">=", "=[]", "=", "!="), fc.string(), value),
    fc.tuple(fc.constant("=~"), fc.string(), fc.constantFrom("a", "^a.*$", "(?i)x")),
    fc.tuple(fc.constant("?"), fc.string()),
  );
  fc.assert(
    fc.property(fc.array(leaf, { maxLength: 3 }), expressions, (leaves, rest) => {
      const written = encodeFilter(decodeFilter(["&", ...leaves, rest]));
      expect(encodeFilter(decodeFilter(written))).toEqual(written);
      const spelled = (operator: string) => (operator === "=" ? "==" : operator);
      const expected = leaves.map(([operator, ...operands]) =>
        operator === "!=" ? ["!", ["==", ...operands]] : [spelled(operator), ...operands],
      );
      expect(written).toEqual(["&", ...expected, rest]);
    }),
    { numRuns: 200 },
  );
});

// Filter rules on the page: their texts and moves.
import fc from "fast-check";
import { expect, test } from "vitest";
import { expressionOf, expressionText } from "../src/pages/rules/expression.js";
import { moved } from "../src/pages/rules/moved.js";
import { compareRules, type Rule } from "../src/pages/rules/rule.js";
import { ruleText, usesWatermark } from "../src/pages/rules/sentence.js";

const aRule = (rule: Partial<Rule>): Rule => ({
  ...{ uuid: "u", watermark: 17, priority: 0, predicates: [], action: "PAUSE", reason_trail: [] },
  ...rule,
});

test.each([
  [null, ""],
  [["==", "OP_ID", "OP_X"], 'OP_ID == "OP_X"'],
  [[">", "id", "watermark"], 'id > "watermark"'],
  [["=~", "reason", "a/b\\d"], "reason =~ m#a/b\\\\d#"],
  [["=[]", "tags", 'say "hi"'], "'say \"hi\"' in tags"],
  [
    ["&", ["?", "force"], ["|", ["<", "x", 1], ["!", ["==", "y", "z"]]]],
    'force and (x < 1 or not y == "z")',
  ],
  [["==", "name", `'"`], `["==","name","'\\""]`],
  [["&"], '["&"]'],
])("a condition %j is written as %s, and read as the same", (expression, text) => {
  expect(expressionText(expression)).toBe(text);
  expect(expressionOf(text)).toEqual(expression);
});

const leaf = fc.oneof(
  fc.tuple(
    fc.constantFrom("==", "!=", "<", ">="),
    fc.constantFrom("id", "beparams.memory"),
    fc.oneof(fc.string(), fc.integer()),
  ),
  fc.tuple(fc.constant("=~"), fc.constantFrom("reason"), fc.string()),
  fc.tuple(fc.constant("?"), fc.constantFrom("force", "not")),
);
const expressions = fc.letrec((tie) => ({
  one: fc.oneof(
    { depthSize: "small" },
    leaf,
    fc.tuple(fc.constant("!"), tie("one")),
    fc
      .array(tie("one"), { maxLength: 3 })
      .chain((parts) => fc.constantFrom("&", "|").map((sign) => [sign, ...parts])),
  ),
})).one;

test("every condition survives being written and read", () => {
  let texts = 0;
  fc.assert(
    fc.property(expressions, (expression) => {
      const text = expressionText(expression);
      if (!text.startsWith("[")) texts += 1;
      expect(expressionOf(text)).toEqual(expression);
    }),
    { numRuns: 300 },
  );
  expect(texts).toBeGreaterThan(30);
});

test("the error of an unreadable condition has the position and the expected input", () => {
  expect(() => expressionOf("OP_ID ==")).toThrow(/Expected/);
  expect(() => expressionOf("[1,")).toThrow(/not JSON/);
});

test.each([
  [aRule({}), "Holds jobs in the queue, whatever they do."],
  [
    aRule({ predicates: [["jobid", [">", "id", "watermark"]]] }),
    "Holds jobs in the queue if they have a number above 17, so that they are later than the rule.",
  ],
  [
    aRule({
      action: ["RATE_LIMIT", 2],
      predicates: [["opcode", ["==", "OP_ID", "OP_INSTANCE_CREATE"]]],
    }),
    "Runs at most 2 jobs at a time if one of their operations has the kind instance create.",
  ],
  [
    aRule({
      action: "REJECT",
      predicates: [
        ["opcode", ["&", ["!", ["?", "force"]], ["=~", "name", "^a"]]],
        ["reason", ["==", "reason", "night"]],
      ],
    }),
    "Cancels queued jobs if one of their operations has not force set and name matching ^a, and if one of their reasons has a text equal to “night”.",
  ],
])("a rule in words: %#", (rule, text) => {
  expect(ruleText(rule)).toBe(text);
});

test("rules that depend on the watermark are recognised", () => {
  expect(usesWatermark(aRule({ predicates: [["jobid", ["!", ["<=", "id", "watermark"]]]] }))).toBe(
    true,
  );
  expect(usesWatermark(aRule({ predicates: [["reason", ["==", "reason", "watermark"]]] }))).toBe(
    false,
  );
});

test("a moved rule gets its new place with any watermarks of the stored rules, and no step changes the order of others", () => {
  let raisedMore = 0;
  const priorities = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 2, maxLength: 8 });
  fc.assert(
    fc.property(priorities, fc.nat(7), fc.nat(7), (list, first, second) => {
      const rules = list
        .map((priority, at) => aRule({ uuid: `u${at}`, priority, watermark: at }))
        .toSorted(compareRules);
      const [from, to] = [first % rules.length, second % rules.length];
      const wanted = rules.map(({ uuid }) => uuid);
      wanted.splice(to, 0, ...wanted.splice(from, 1));
      const stored = moved(rules, from, to);
      if (stored.length > 1) raisedMore += 1;
      let now: readonly Rule[] = rules;
      const others = () => now.filter((one) => one !== undefined && one.uuid !== rules[from]?.uuid);
      const before = others().map(({ uuid }) => uuid);
      for (const one of stored) {
        const fresh = { ...one, watermark: 99 };
        now = now.map((old) => (old.uuid === one.uuid ? fresh : old)).toSorted(compareRules);
        expect(others().map(({ uuid }) => uuid)).toEqual(before);
      }
      expect(now.map(({ uuid }) => uuid)).toEqual(wanted);
      expect(stored.every(({ priority }) => priority >= 0)).toBe(true);
    }),
    { numRuns: 500 },
  );
  expect(raisedMore).toBeGreaterThan(50);
});

test("a move into a gap stores only the moved rule", () => {
  const rules = [10, 20, 30].map((priority) => aRule({ uuid: `u${priority}`, priority }));
  expect(moved(rules, 2, 1).map(({ uuid, priority }) => [uuid, priority])).toEqual([["u30", 15]]);
  expect(moved(rules, 0, 2).map(({ uuid, priority }) => [uuid, priority])).toEqual([["u10", 40]]);
  expect(moved(rules, 1, 1)).toEqual([]);
});

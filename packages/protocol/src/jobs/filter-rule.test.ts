import { expect, test } from "vitest";
import { FilterRuleBody } from "./filter-rule-body.js";
import { FilterUuid } from "./filter-uuid.js";

const predicate = "malformed FilterPredicate: ";
test.each([
  { body: [], why: "Invalid body contents, not a dictionary" },
  {
    body: { uuid: "x" },
    why: "Invalid body parameters: filter rule doesn't support the parameter 'uuid'",
  },
  { body: { priority: "1" }, why: "'priority' parameter: Type is 'str', but 'int' is expected" },
  { body: { priority: 1.5 }, why: "'priority' parameter: Type is 'float', but 'int' is expected" },
  {
    body: { predicates: {} },
    why: "'predicates' parameter: Type is 'dict', but 'list' is expected",
  },
  { body: { reason: null }, why: "'reason' parameter: Type is 'NoneType', but 'list' is expected" },
  { body: { action: "accept" }, why: 'malformed FilterAction JSON: "accept"' },
  { body: { action: ["PAUSE", 1] }, why: 'malformed FilterAction JSON: ["PAUSE",1]' },
  { body: { action: ["RATE_LIMIT"] }, why: "RATE_LIMIT argument must be a positive integer" },
  { body: { action: ["RATE_LIMIT", 0] }, why: "RATE_LIMIT argument must be a positive integer" },
  { body: { action: ["RATE_LIMIT", 1.5] }, why: "RATE_LIMIT argument must be a positive integer" },
  {
    body: { predicates: ["jobid"] },
    why: `${predicate}must be a list with the first entry being a string describing the predicate type`,
  },
  {
    body: { predicates: [["jobid"]] },
    why: `${predicate}bad parameter list for 'jobid' predicate: []`,
  },
  {
    body: { predicates: [["job", null]] },
    why: `${predicate}bad parameter list for 'job' predicate: [null]`,
  },
  { body: { predicates: [["jobid", ["=*", "id", 1]]] }, why: "Unknown filter operand '=*'" },
  {
    body: { predicates: [["jobid", ["==", "id", 1.5]]] },
    why: "Cannot deserialise numeric filter value, expecting integral but got a fractional value: 3 % 2",
  },
])("a rule with $body is refused: $why", ({ body, why }) => {
  expect(FilterRuleBody.safeParse(body).error?.issues[0]?.message).toBe(why);
});

test("a negative priority is refused", () => {
  expect(FilterRuleBody.safeParse({ priority: -1 }).success).toBe(false);
});

test("what a rule does not say has its default", () => {
  expect(FilterRuleBody.parse({})).toEqual({
    priority: 0,
    predicates: [],
    action: "CONTINUE",
    reason: [],
  });
});

test.each(["ABC", "0B4A9B0C-0000-4000-8000-000000000000", 7])("%j is no UUID of a rule", (uuid) => {
  expect(FilterUuid.safeParse(uuid).error?.issues[0]?.message).toBe("Unable to parse UUID");
});

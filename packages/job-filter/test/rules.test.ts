import { JobId } from "@ganeti-ts/protocol";
import { compilePattern, FilterError } from "@ganeti-ts/query";
import { expect, test } from "vitest";
import {
  compareRules,
  holdText,
  noPatterns,
  pass,
  readRuleBody,
  readRuleUuid,
  ruleChain,
  storedRule,
} from "../src/index.js";
import { aJob, aUuid, someRules } from "./builders.js";

test.each([
  {
    body: { predicates: [["reason", ["=~", "reason", "(["]]] },
    message: "Invalid regular expression (missing closing ]: `[`)",
  },
  { body: { priority: -1 }, message: /^'priority' parameter: / },
  {
    body: { priority: "0" },
    message: "'priority' parameter: Type is 'str', but 'int' is expected",
  },
  { body: { action: "STOP" }, message: 'malformed FilterAction JSON: "STOP"' },
  { body: { predicates: [["opcode", ["<>", "a", 1]]] }, message: "Unknown filter operand '<>'" },
  { body: { reason: [["only a source"]] }, message: /./ },
  {
    body: { predicates: [["jobid", [">", "idd", 1]]] },
    message: "Invalid 'jobid' predicate: unknown field 'idd', only 'id' can be compared",
  },
  {
    body: { predicates: [["jobid", ["!", ["|", ["==", "id", 1], ["=[]", "id", "watermark"]]]]] },
    message: "'id' can only be compared by ==, !=, <, <=, > and >=",
  },
  { body: { predicates: [["jobid", ["==", "id", "7"]]] }, message: "compared with '7'" },
  { body: { uuid: aUuid(1) }, message: /doesn't support the parameter 'uuid'$/ },
])("a rule with $body is refused", ({ body, message }) => {
  expect(() => readRuleBody(body, compilePattern)).toThrow(FilterError);
  expect(() => readRuleBody(body, compilePattern)).toThrow(message);
});

test("a rule that another program stored is judged as before, also where it would be refused now", () => {
  const rules = someRules([
    {
      priority: 0,
      watermark: 1,
      predicates: [["jobid", ["=[]", "id", "watermark"]]],
      action: "REJECT",
    },
  ]);
  expect(ruleChain(rules, compilePattern).applying(aJob({ id: 1, ops: ["OP_A"] }))).toBeUndefined();
});

test("a program without regular expressions refuses them by name", () => {
  const body = { predicates: [["reason", ["=~", "reason", "^disk"]]] };
  expect(() => readRuleBody(body, noPatterns)).toThrow("'^disk'");
});

test("a rule about unknown fields is accepted, and matches no job", () => {
  const body = readRuleBody(
    { predicates: [["opcode", ["==", "nosuch", 1]]], action: "REJECT" },
    compilePattern,
  );
  const rule = storedRule(body, stamp);
  expect(
    ruleChain([rule], compilePattern).applying(aJob({ id: 1, ops: ["OP_A"] })),
  ).toBeUndefined();
});

const stamp = {
  uuid: readRuleUuid(aUuid(7)),
  watermark: JobId.parse(41),
  now: 1_700_000_000_000_000_001n,
};

test("a stored rule has its stamp, and the queue's entry behind the reasons given", () => {
  const body = readRuleBody(
    { priority: 3, reason: [["gnt:user", "disk swap", 5]] },
    compilePattern,
  );
  expect(storedRule(body, stamp)).toEqual({
    uuid: aUuid(7),
    watermark: 41,
    priority: 3,
    predicates: [],
    action: "CONTINUE",
    reason_trail: [
      ["gnt:user", "disk swap", 5n],
      ["luxid", "", 1_700_000_000_000_000_001n],
    ],
  });
});

test.each(["ABC", "0000000A-0000-4000-8000-000000000000", null])("%j is no uuid", (uuid) => {
  expect(() => readRuleUuid(uuid)).toThrow("Unable to parse UUID");
});

test("rules are ordered by priority, then watermark, then uuid", () => {
  const rules = someRules([
    { priority: 1, watermark: 1, predicates: [], action: "ACCEPT", uuid: "a" },
    { priority: 0, watermark: 9, predicates: [], action: "ACCEPT", uuid: "b" },
    { priority: 0, watermark: 2, predicates: [], action: "ACCEPT", uuid: "d" },
    { priority: 0, watermark: 2, predicates: [], action: "ACCEPT", uuid: "c" },
  ]);
  const [a, b, d, c] = rules;
  expect(rules.toSorted(compareRules)).toEqual([c, d, b, a]);
});

test("every cause completes a sentence that begins with the job", () => {
  const rules = someRules([
    {
      priority: 0,
      watermark: 0,
      predicates: [["opcode", ["==", "OP_ID", "OP_P"]]],
      action: "PAUSE",
    },
    { priority: 1, watermark: 0, predicates: [], action: ["RATE_LIMIT", 1] },
  ]);
  const reasons = ["rate-limit:1:x"];
  const { held } = pass({
    claimed: [aJob({ id: 1, ops: ["OP_A"], reasons })],
    queued: [aJob({ id: 2, ops: ["OP_A"], reasons, depends: [1] }), aJob({ id: 3, ops: ["OP_P"] })],
    chain: ruleChain(rules, compilePattern),
    runningMax: 1,
  });
  expect(held.map(({ causes }) => causes.map(holdText))).toEqual([
    [
      "waits for job 1 to finish",
      `is held by filter rule ${aUuid(1)} (because), which allows 1 job at a time: job 1`,
      'is held by its reason "rate-limit:1:x", which allows 1 job at a time: job 1',
      "is held by the queue, which allows 1 job at a time: 1 under way",
    ],
    [
      `is paused by filter rule ${aUuid(0)} (because)`,
      "is held by the queue, which allows 1 job at a time: 1 under way",
    ],
  ]);
});

// The reasons for which the filters were made, as an operator meets them.
import { type FilterRuleBody, JobId } from "@ganeti-ts/protocol";
import { compilePattern } from "@ganeti-ts/query";
import { expect, test } from "vitest";
import { pass, readRuleBody, readRuleUuid, ruleChain, storedRule } from "../src/index.js";
import { aJob, aUuid, type ShortJob } from "./builders.js";

/** Result of a pass over the queued jobs under the rules, all stored when job 10 was the last one. */
function queueWith(
  rules: readonly unknown[],
  queued: readonly ShortJob[],
  claimed: readonly ShortJob[] = [],
) {
  const stored = rules.map((rule, number) => {
    const body: FilterRuleBody = readRuleBody(rule, compilePattern);
    const uuid = readRuleUuid(aUuid(number));
    return storedRule(body, { uuid, watermark: JobId.parse(10), now: 1n });
  });
  const { cancel, start, held } = pass({
    queued: queued.map(aJob),
    claimed: claimed.map(aJob),
    chain: ruleChain(stored, compilePattern),
    runningMax: 20,
  });
  return {
    canceled: cancel.map(({ job }) => job.id),
    started: start.map(({ id }) => id),
    held: held.map(({ job }) => job.id),
  };
}

const ops = ["OP_INSTANCE_STARTUP"];

test("draining: jobs submitted from now on are refused, the others still run", () => {
  const drain = { predicates: [["jobid", [">", "id", "watermark"]]], action: "REJECT" };
  const jobs = [9, 10, 11, 12].map((id) => ({ id, ops }));
  expect(queueWith([drain], jobs)).toEqual({ canceled: [11, 12], started: [9, 10], held: [] });
});

test("soft draining: jobs submitted from now on wait", () => {
  const drain = { predicates: [["jobid", [">", "id", "watermark"]]], action: "PAUSE" };
  const jobs = [9, 10, 11, 12].map((id) => ({ id, ops }));
  expect(queueWith([drain], jobs)).toEqual({ canceled: [], started: [9, 10], held: [11, 12] });
});

test("all but one maintenance is paused, found by its reason", () => {
  const maintenance = {
    predicates: [["reason", ["=~", "reason", "maintenance pink bunny"]]],
    action: "ACCEPT",
  };
  const rest = { priority: 1, action: "PAUSE" };
  const jobs = [
    { id: 11, ops },
    { id: 12, ops, reasons: ["maintenance pink bunny, step 3"] },
  ];
  expect(queueWith([rest, maintenance], jobs)).toEqual({ canceled: [], started: [12], held: [11] });
});

test("queued creations of instances are canceled, those under way go on", () => {
  const noCreation = {
    priority: 1,
    predicates: [["opcode", ["=", "OP_ID", "OP_INSTANCE_CREATE"]]],
    action: "REJECT",
  };
  const creation = ["OP_INSTANCE_CREATE"];
  const jobs = [
    { id: 11, ops: creation },
    { id: 12, ops },
  ];
  const underWay = [{ id: 8, ops: creation }];
  expect(queueWith([noCreation], jobs, underWay)).toEqual({
    canceled: [11],
    started: [12],
    held: [],
  });
});

test("replacements of disks are throttled, and nothing else", () => {
  const throttle = {
    priority: 99,
    predicates: [["opcode", ["=", "OP_ID", "OP_INSTANCE_REPLACE_DISKS"]]],
    action: ["RATE_LIMIT", 2],
  };
  const replacement = ["OP_INSTANCE_REPLACE_DISKS"];
  const jobs = [...[11, 12, 13].map((id) => ({ id, ops: replacement })), { id: 14, ops }];
  const underWay = [{ id: 9, ops: replacement }];
  expect(queueWith([throttle], jobs, underWay)).toEqual({
    canceled: [],
    started: [11, 14],
    held: [12, 13],
  });
});

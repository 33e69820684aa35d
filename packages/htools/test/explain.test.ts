// An explanation looks at every candidate by itself; what it finds must be what the answer says.
import {
  type CandidateField,
  Explanation,
  type InstanceExplanation,
  refusalRules,
} from "@ganeti-ts/protocol";
import { isThorough, messages, type RequestType, requestTypes } from "@ganeti-ts/testkit";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { answerRequest, explainRequest, formatFixed, loadCluster } from "../src/index.js";

/** As Ganeti lists refusals. */
const reasons = ({ refusedBy }: CandidateField): string =>
  refusalRules
    .filter((rule) => refusedBy[rule] !== undefined)
    .map((rule) => `${rule}: ${refusedBy[rule]}`)
    .join(", ");

/** Ganeti's text about a group, derived from the explanation of its candidates. */
function solutionText(field: CandidateField): string {
  const [best] = field.candidates;
  if (best === undefined) {
    return `No valid allocation solutions, failure reasons: ${reasons(field) || "unknown reasons"}`;
  }
  const { score, lostAllocations, nodes } = best;
  const measure = lostAllocations
    ? `([${lostAllocations.lost.join(",")}],${lostAllocations.diskFreeMib})`
    : formatFixed(Number(score?.total), 8);
  const counts = `successes ${field.feasible}, failures ${field.refused} (${reasons(field)})`;
  return `score: ${measure}, ${counts} for node(s) ${nodes.join("/")}`;
}

const seen: Record<string, number> = {};
const count = (what: string) => {
  seen[what] = (seen[what] ?? 0) + 1;
};

function checkField(field: CandidateField): void {
  const { candidates, refusals, nodes, omitted } = field;
  expect(candidates.length + omitted.feasible).toBe(field.feasible);
  expect(refusals.length + omitted.refused).toBe(field.refused);
  for (const { score } of candidates) {
    if (score === undefined) continue;
    const terms = Object.values(score.terms);
    expect(terms.reduce((sum: number, term) => sum + Number(term), 0)).toEqual(Number(score.total));
  }
  for (const { refusal } of [...refusals, ...rolesOf(field)]) {
    count(`${refusal.rule} ${refusal.check}${refusal.countingReservations ? " planned" : ""}`);
    expect(refusal.text.startsWith(`${refusal.node}: ${refusal.rule}, `)).toBe(true);
  }
  const looked = new Set(nodes.map(({ node }) => node));
  expect(looked.size).toBe(nodes.length);
  // Where an instance is moved, its other node stays and is not looked at.
  for (const place of [...candidates, ...refusals]) {
    expect(place.nodes.some((node) => looked.has(node))).toBe(true);
  }
}

const rolesOf = ({ nodes }: CandidateField) =>
  nodes.flatMap(({ primary, secondary }) =>
    [primary?.refusal, secondary?.refusal].flatMap((refusal) => (refusal ? [{ refusal }] : [])),
  );

function checkChoice({ to, choice, groups, move }: InstanceExplanation): void {
  if (choice === null) return;
  expect(to.slice(0, choice.nodes.length)).toEqual(choice.nodes);
  const field = move?.field ?? groups.find(({ group }) => group === choice.group)?.field;
  expect(field?.candidates[0]?.nodes).toEqual(choice.nodes);
  const total = choice.score?.total;
  if (total === undefined) return;
  const ties = field?.candidates.filter(({ score }) => score?.total === total);
  expect(choice.tied).toBe(ties?.length);
  count(choice.tied > 1 ? "tied" : "not tied");
}

describe.each(requestTypes)("explaining %s", (type: RequestType) => {
  test("finds the same winner, counts and scores as the answer", () => {
    fc.assert(
      fc.property(messages(type, { zeroSizes: false }), ({ message, switches }) => {
        const cluster = loadCluster(message.cluster);
        const { request } = message;
        const { answer, dedicated } = answerRequest(cluster, request, switches);
        const explanation = explainRequest(cluster, request, {
          ...switches,
          listMax: 1000,
          suggestions: false,
        });
        expect(Explanation.parse(JSON.parse(JSON.stringify(explanation)))).toEqual(explanation);
        expect(explanation.info).toBe(answer.info);
        for (const one of explanation.instances) {
          for (const { field } of one.groups) if (field) checkField(field);
          if (one.move) checkField(one.move.field);
          checkChoice(one);
        }
        count(answer.success ? `${request.type} answered` : `${request.type} refused`);
        if (dedicated) count("dedicated");
        checkTexts(explanation, request.type as RequestType);
        checkPlaces(explanation, answer.result);
      }),
      { numRuns: isThorough ? 1600 : 200, seed: 1 },
    );
  });
});

/** The counts and scores of the answer's own text. */
function checkTexts({ info, instances }: Explanation, type: RequestType): void {
  if (type !== "allocate" && type !== "allocate-secondary") return;
  for (const { field } of instances[0]?.groups ?? []) {
    if (field === undefined) continue;
    count("text");
    expect(info).toContain(solutionText(field));
  }
}

/** The nodes of the answer. */
function checkPlaces({ success, request, instances }: Explanation, result: unknown): void {
  if (!success) return;
  const placed = instances.filter(({ to }) => to.length > 0);
  switch (request) {
    case "allocate":
      expect(instances.map(({ to }) => to)).toEqual([result]);
      return;
    case "allocate-secondary":
      expect(instances[0]?.to[1]).toBe(result);
      return;
    case "relocate":
      expect(instances[0]?.to).toEqual(
        instances[0]?.move?.kind === "move"
          ? result
          : [instances[0]?.to[0], (result as string[])[0]],
      );
      return;
    case "multi-allocate": {
      const [allocated, failed] = result as [[string, string[]][], [string, string][]];
      expect(placed.map(({ instance, to }) => [instance, to])).toEqual(allocated);
      expect(failed.length).toBe(instances.length - placed.length);
      for (const [i, { groups }] of instances.filter(({ to }) => to.length === 0).entries()) {
        for (const { field } of groups) {
          if (field) expect(failed[i]?.[1]).toContain(solutionText(field));
        }
      }
      return;
    }
    case "node-evacuate":
    case "change-group": {
      const [moved, failed] = result as [[string, string, string[]][], [string, string][]];
      expect(placed.map(({ instance, to }) => [instance, to])).toEqual(
        moved.map(([name, , nodes]) => [name, nodes]),
      );
      const stuck = instances.filter(({ to }) => to.length === 0);
      expect(stuck.map(({ instance }) => instance)).toEqual(failed.map(([name]) => name));
      for (const [i, one] of stuck.entries()) checkFailure(one, failed[i]?.[1] as string);
    }
  }
}

function checkFailure({ move }: InstanceExplanation, reason: string): void {
  if (move === undefined) return;
  const { refusals, nodes } = move.field;
  const [only] = refusals;
  if (move.kind === "failover") expect(reason).toBe(only?.refusal.rule);
  else if (move.kind === "replace-both") {
    const last = refusals.at(-1)?.refusal;
    const detail = last ? `Allocation failed: ${last.step}: ${last.rule}` : "no nodes available";
    expect(reason).toBe(`Can't find any good nodes for relocation: ${detail}`);
  } else {
    const detail = nodes.map(({ node, primary, secondary }) => {
      const refusal = primary?.refusal ?? secondary?.refusal;
      return ` Node ${node} failed: ${refusal?.rule};`;
    });
    expect(reason).toBe(`Can't find any good node: ${detail.join("")}`);
  }
  count(`failure of ${move.kind}`);
}

test("the properties have seen every rule, planned or not, and every kind of answer", () => {
  const expected = [
    ...["memory", "disk", "spindles", "spindle-use", "vcpus"].flatMap((what) => [
      `${ruleOf[what]} ${what}`,
      // Rare: seen among all runs.
      ...(isThorough ? [`${ruleOf[what]} ${what} planned`] : []),
    ]),
    ...["FailMem", "FailDisk", "FailCPU", "FailSpindles", "FailDiskCount"].map(
      (rule) => `${rule} policy`,
    ),
    "FailMem reserved-memory",
    "FailDisk template",
    "FailTags exclusion-tags",
    "FailMig migration-tags",
    "FailN1 emptying",
    ...requestTypes.map((type) => `${type} answered`),
    ...["allocate", "multi-allocate", "relocate"].map((type) => `${type} refused`),
    ...["failover", "move", "replace-secondary", "replace-both"].map(
      (kind) => `failure of ${kind}`,
    ),
    "dedicated",
    "tied",
    "not tied",
  ];
  expect(expected.filter((what) => !((seen[what] ?? 0) >= (isThorough ? 3 : 1)))).toEqual([]);
});

const ruleOf: Readonly<Record<string, string>> = {
  memory: "FailMem",
  disk: "FailDisk",
  spindles: "FailSpindles",
  "spindle-use": "FailDisk",
  vcpus: "FailCPU",
};

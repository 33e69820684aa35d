import type { Json } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { compareAnswers } from "./compare-answers.js";
import { differences } from "./comparison.js";

/** Answers by path; a function is called for each request. */
type Answers = Readonly<Record<string, Json | (() => Json)>>;

const usual: Answers = {
  "/2/nodes": [{ id: "a", uri: "/2/nodes/a" }],
  "/2/nodes?bulk=1": [{ name: "a", mfree: 10, role: "M" }],
  "/2/nodes/a": { name: "a", mfree: 10, role: "M" },
};

const asking = (answers: Answers) => async (path: string) => {
  const answer = answers[path];
  if (answer === undefined) return { status: path.endsWith("bulk=1") ? 200 : 404, body: [] };
  return { status: 200, body: typeof answer === "function" ? answer() : answer };
};

const compared = (original: Answers, ours: Answers) =>
  compareAnswers(
    { original: asking(original), ours: asking(ours), pause: async () => undefined },
    0,
  );

test("equal answers have no differences, and single objects are compared", async () => {
  const { compared: count, unnamed, named } = await compared(usual, usual);
  expect([unnamed, named]).toEqual([[], []]);
  expect(count).toBe(4 + 12 + 3);
});

test("a changed field is reported with its place, in the list and in the object", async () => {
  const ours = {
    ...usual,
    "/2/nodes?bulk=1": [{ name: "a", mfree: 10, role: "C" }],
    "/2/nodes/a": { name: "a", mfree: 10 },
  };
  const { unnamed } = await compared(usual, ours);
  expect(unnamed).toEqual([
    { resource: "/2/nodes?bulk=1", at: "[a].role", original: "M", ours: "C" },
    { resource: "/2/nodes/a", at: ".role", original: "M", ours: undefined },
  ]);
});

test("a difference that comes from the moment of asking is not reported", async () => {
  let asked = 0;
  const original = { ...usual, "/2/tags": () => (asked++ < 3 ? ["old"] : ["new"]) };
  expect((await compared(original, { ...usual, "/2/tags": ["new"] })).unnamed).toEqual([]);
});

test("a moving figure is compared with all values that the original gave", async () => {
  let free = 100;
  const original = { ...usual, "/2/nodes/a": () => ({ name: "a", mfree: free-- }) };
  const within = { ...usual, "/2/nodes/a": { name: "a", mfree: 96.5 } };
  expect((await compared(original, within)).unnamed).toEqual([]);
  free = 100;
  const beyond = { ...usual, "/2/nodes/a": { name: "a", mfree: 200 } };
  expect((await compared(original, beyond)).unnamed).toMatchObject([{ at: ".mfree", ours: 200 }]);
});

test("an answer with another status is a difference, an equal refusal is none", async () => {
  const { "/2/nodes/a": _, ...without } = usual;
  expect((await compared(usual, without)).unnamed).toEqual([
    { resource: "/2/nodes/a", at: "", original: 200, ours: 404 },
  ]);
});

test("wanted differences are listed with their reason", async () => {
  const original = { ...usual, "/2/jobs?bulk=1": [{ id: 1, ops: [{ OP_ID: "X" }] }] };
  const ours = { ...usual, "/2/jobs?bulk=1": [{ id: 1, ops: [{ OP_ID: "X", dry_run: null }] }] };
  const { unnamed, named } = await compared(original, ours);
  expect(unnamed).toEqual([]);
  expect(named).toMatchObject([
    { at: "[1].ops[0].dry_run", why: expect.stringContaining("omits") },
  ]);
});

test("elements of lists are matched by name or id, and by position without them", () => {
  expect(differences("/x", [{ id: 1 }, { id: 2 }], [{ id: 2 }])).toMatchObject([{ at: "[1]" }]);
  expect(differences("/x", [[1], [2]], [[1], [3]])).toMatchObject([{ at: "[1][0]", ours: 3 }]);
  expect(
    differences("/x", 18446744073709551617n as never, 18446744073709551616n as never),
  ).toHaveLength(1);
});

test("an object that goes between the list and its tags is a named difference", async () => {
  const original = async (path: string) =>
    path === "/2/nodes/a/tags" ? { status: 500, body: null } : asking(usual)(path);
  const sides = { original, ours: asking(usual), pause: async () => undefined };
  const { unnamed, named } = await compareAnswers(sides, 0);
  expect(unnamed).toEqual([]);
  expect(named).toMatchObject([{ resource: "/2/nodes/a/tags", original: 500, ours: 404 }]);
});

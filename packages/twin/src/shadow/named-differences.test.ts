import { readFileSync } from "node:fs";
import type { Json } from "@ganeti-ts/protocol";
import { expect, test } from "vitest";
import { differences } from "./comparison.js";
import { named, nameOf } from "./named-differences.js";

const documentation = readFileSync(new URL("../../docs/differences.md", import.meta.url), "utf8");

/** First cells of the rows below the heading. */
function rowsBelow(heading: string): readonly string[] {
  const [, part = ""] = documentation.split(`## ${heading}\n`);
  const [section = ""] = part.split("\n## ");
  return [...section.matchAll(/^\| (?!what |---)(.*?) \|/gm)].map(([, cell = ""]) => cell);
}

test("every documented difference that a shadow can meet has a rule, and every rule its row", () => {
  const documented = rowsBelow("Answers that a shadow compares");
  expect(documented.length).toBeGreaterThan(5);
  expect([...new Set(named.map(({ row }) => row))].sort()).toEqual([...documented].sort());
});

const names = (resource: string, original: Json, ours: Json) =>
  differences(resource, original, ours).map(nameOf);

test.each<{ why: string; resource: string; original: Json; ours: Json }>([
  {
    why: "the private parameters of a job",
    resource: "/2/jobs/7",
    original: { ops: [{ osparams_private: null, osparams_secret: null }] },
    ours: {
      ops: [{ osparams_private: { token: "<redacted>" }, osparams_secret: { a: "<redacted>" } }],
    },
  },
  {
    why: "the private parameters of a job that creates several instances",
    resource: "/2/jobs?bulk=1",
    original: [{ id: 7, ops: [{ instances: [{ osparams_secret: null }] }] }],
    ours: [{ id: 7, ops: [{ instances: [{ osparams_secret: { a: "<redacted>" } }] }] }],
  },
  {
    why: "disk parameters of later versions in the cluster",
    resource: "/2/info",
    original: { diskparams: { plain: { stripes: 1 }, rbd: { pool: "rbd" } } },
    ours: {
      diskparams: { plain: { stripes: 1, stripe_size: 0 }, rbd: { pool: "rbd", "user-id": "" } },
    },
  },
])("a named difference: $why", ({ resource, original, ours }) => {
  const found = names(resource, original, ours);
  expect(found.length).toBeGreaterThan(0);
  expect(found).not.toContain(undefined);
});

test("a secret that is not redacted and a value that only the original has are unnamed differences", () => {
  const ops = (value: Json): Json => ({ ops: [{ osparams_private: value }] });
  expect(names("/2/jobs/7", ops(null), ops({ token: "open" }))).toEqual([undefined]);
  expect(names("/2/jobs/7", ops({ token: "open" }), ops(null))).toEqual([undefined]);
});

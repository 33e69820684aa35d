import { expect, test } from "vitest";
import { fieldsOf, type QueryKind, queryKinds } from "../src/resources.js";

test.each(queryKinds.map((kind) => ({ kind })))(
  "fields of kind $kind have Ganeti's names, titles, kinds and descriptions",
  async ({ kind }) => {
    const lines = fieldsOf(kind).map(({ name, title, kind, doc }) =>
      [name, title, kind, doc].join("|"),
    );
    await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(`golden/${kind}.txt`);
  },
);

test.each(queryKinds.map((kind) => ({ kind })))(
  "fields of kind $kind have names of the alphabet, titles without blanks, and no name twice",
  ({ kind }) => {
    const fields = fieldsOf(kind);
    expect(new Set(fields.map(({ name }) => name)).size).toBe(fields.length);
    for (const { name, title, doc } of fields) {
      expect(name).toMatch(/^[a-z0-9/._]+$/);
      expect(title).not.toMatch(/\s/);
      expect(doc).not.toMatch(/\.$/);
    }
  },
);

test("named fields come in the order asked for, an unknown one marked so", () => {
  expect(fieldsOf("node" satisfies QueryKind, ["role", "nosuch"]).map(({ kind }) => kind)).toEqual([
    "text",
    "unknown",
  ]);
});

import { expect, test } from "vitest";
import { JsonDocument } from "./json-document.js";
import { renderJson } from "./render.js";

const rendered = (text: string) => {
  const document = new JsonDocument(new TextEncoder().encode(`[${text}]`));
  return renderJson(document, document.first(0));
};

test.each([
  { text: "null", shown: "null" },
  { text: "true", shown: "true" },
  { text: "-0", shown: "0" },
  { text: "1.", shown: "1" },
  { text: "1.50", shown: "1.5" },
  { text: "1e3", shown: "1000" },
  { text: "-12.5e2", shown: "-1250" },
  { text: "1e30", shown: `1${"0".repeat(30)}` },
  { text: "2.0", shown: "2" },
  { text: "0.0", shown: "0" },
  { text: "1e999999999", shown: "1e999999999" },
  { text: "123456789012345678901234567890", shown: "123456789012345678901234567890" },
  { text: "0.05", shown: "5.0e-2" },
  { text: "-1.5e-3", shown: "-1.5e-3" },
  { text: "9999999.5", shown: "9999999.5" },
  { text: "12345678.5", shown: "1.23456785e7" },
  { text: '"a\\n\\"\\\\\\/\\u007fé"', shown: '"a\\u000a\\"\\\\/\\u007fé"' },
  { text: '{"a":[1,2,{}],"b":[]}', shown: '{"a": [1, 2, {}], "b": []}' },
])("$text is shown as $shown", ({ text, shown }) => {
  expect(rendered(text)).toBe(shown);
});

test("what is long is cut", () => {
  const shown = rendered(`[${"1,".repeat(100_000)}1]`);
  expect(shown).toHaveLength(1001);
  expect(shown).toMatch(/^\[1, 1, .*…$/);
});

// Pages: well-formed, without external resources, readable without pictures. Seen to fail with a text that is
// not escaped, with an element that is not closed, and with an ink too close to its background.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { hspace } from "../src/hspace/program.js";
import type { NodeState } from "../src/page/node-states.js";
import { type Page, pageText } from "../src/page/page.js";
import { style } from "../src/page/style.js";
import { runIn } from "./fake-ports.js";

const node = (change: Partial<NodeState> = {}): NodeState => ({
  name: "node1",
  group: "default",
  offline: false,
  failsN1: false,
  primaries: 2,
  secondaries: 1,
  memory: { used: 512, total: 1024 },
  disk: { used: 10, total: 100 },
  cpu: { used: 5, total: 4 },
  ...change,
});

const pageOf = (
  text: string,
  states: readonly NodeState[] = [node({ name: text, group: text })],
): Page => ({
  title: text,
  facts: [[text, text]],
  sections: [
    {
      kind: "nodes",
      title: text,
      states: [
        { name: text, nodes: states },
        { name: "after", nodes: states },
      ],
    },
    {
      kind: "line",
      title: text,
      value: text,
      step: text,
      points: [
        { value: 2, what: text },
        { value: 1, what: text },
      ],
    },
    {
      kind: "bars",
      title: text,
      thing: text,
      value: text,
      bars: [{ label: text, value: 3 }],
      none: text,
    },
    { kind: "table", title: text, columns: [{ header: text, numeric: false }], rows: [[text]] },
  ],
});

/** Elements in the order of their tags; throws where they do not nest. */
function elements(html: string): string[] {
  const open: string[] = [];
  const seen: string[] = [];
  const body = html.replace(/<(script|style)>.*?<\/\1>/gs, "<$1></$1>");
  for (const [, closing, name, rest] of body.matchAll(/<(\/?)([a-z][a-z0-9]*)\b([^<>]*)>/g)) {
    if (closing) expect(open.pop()).toBe(name);
    else {
      seen.push(name as string);
      const isVoid = name === "meta" || rest?.endsWith("/");
      if (!isVoid) open.push(name as string);
    }
  }
  expect(open).toEqual([]);
  return seen;
}

test("texts of a page never change its elements", () => {
  const usual = elements(pageText(pageOf("plain")));
  const odd = fc.string({
    unit: fc.constantFrom("<", ">", "&", '"', "'", "/", "a", "\u0000", "\u2028", "script"),
  });
  fc.assert(
    fc.property(odd, (text) => {
      expect(elements(pageText(pageOf(text)))).toEqual(usual);
    }),
  );
});

test("a page loads no external resources", () => {
  const html = pageText(pageOf("https://example.com/x.js"));
  expect(html).toContain("default-src &#39;none&#39;");
  expect(html).not.toMatch(/\b(?:src|href)=|@import|url\(|<link|fetch\(/);
});

test("the label of a node describes its use before and after, and its problems", () => {
  const html = pageText(pageOf("before", [node({ failsN1: true, offline: true })]));
  expect(html).toContain(
    'aria-label="node1. before: memory 50 %, disk 10 %, CPUs 125 %, 2 primary and 1 secondary instances, offline, fails N+1. after:',
  );
  expect(html).toContain('<span class="cell over">125</span>');
  expect(html).toContain('<span class="badge off">off</span><span class="badge n1">N+1</span>');
});

test("a node without data has no shares", () => {
  const nothing = { used: 0, total: 0 };
  const html = pageText(pageOf("x", [node({ memory: nothing, disk: nothing, cpu: nothing })]));
  expect(html).toContain("memory unknown, disk unknown, CPUs unknown");
  expect(html).toContain('<span class="cell none">–</span>');
});

test("a chart of NaN values is only a table", () => {
  const points = [
    { value: Number.NaN, what: "start" },
    { value: 1, what: "moved" },
  ];
  const line = { kind: "line", title: "Score", value: "score", step: "move", points } as const;
  const html = pageText({ title: "x", facts: [], sections: [line] });
  expect(html).not.toContain("<svg");
  expect(html).toContain("NaN");
});

/** WCAG 2: relative luminance of `#rrggbb`, and the contrast of two. */
function luminance(colour: string): number {
  const channels = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255);
  const [r, g, b] = channels.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * (r as number) + 0.7152 * (g as number) + 0.0722 * (b as number);
}
function contrast(a: string, b: string): number {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

test.each([
  ["light", 0],
  ["dark", 1],
])("texts have a contrast of at least 4.5 in %s", (_, scheme) => {
  const declared = (name: string) =>
    [...style.text.matchAll(new RegExp(`--${name}: (#[0-9a-f]{6});`, "g"))][scheme]?.[1] as string;
  const pairs = [
    ...[0, 1, 2, 3, 4, 5].map((level) => [`u${level}`, `u${level}i`] as const),
    ["over", "overi"],
    ["paper", "ink"],
    ["paper", "quiet"],
    ["panel", "quiet"],
    ["paper", "bad"],
    ["paper", "focus"],
  ] as const;
  for (const [back, ink] of pairs) {
    expect(contrast(declared(back), declared(ink)), `${ink} on ${back}`).toBeGreaterThan(4.5);
  }
});

test("hspace writes a page of its nodes, sizes and reasons", async () => {
  const { written, stdout, stderr } = await runIn(
    hspace,
    {},
    ...["--simulate", "p,4,50g,4g,2", "--disk-template", "plain", "--html", "room.html"],
  );
  expect(stdout).toContain("Normal (fixed-size) allocation results:");
  expect(stderr).toBe("The page has been written to file 'room.html'\n");
  const html = written["room.html"] ?? "";
  elements(html);
  expect(html.match(/<li class="tile"/g)).toHaveLength(4);
  expect(html).toContain("after falling sizes");
  expect(html).toMatch(/[\d.]+ GiB memory, [\d.]+ GiB disk, \d+ vCPUs/);
  expect(html).toContain("FailMem");
});

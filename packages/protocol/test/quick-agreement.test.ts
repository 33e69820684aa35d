// The quick ways to read a message against the one that loses nothing.
import * as fc from "fast-check";
import { expect, test, vi } from "vitest";
import { sourceDigest } from "../../../tooling/wasm.js";
import { decodeMessage, decodeParsed } from "../src/iallocator/decode-message.js";
import { decodeQuickly } from "../src/iallocator/decode-quickly.js";
import { decodeScanned } from "../src/iallocator/decode-scanned.js";
import { recordScanSource } from "../src/json/record-scan-code.js";
import { aMessage, requestTypes } from "./message.js";
import { randomRuns } from "./random-runs.js";

const bytesOf = (text: string) => new TextEncoder().encode(text);

test.each([
  { way: "the scan for records", decode: (bytes: Uint8Array) => decodeQuickly(bytes, 0) },
  { way: "the engine's parser", decode: decodeParsed },
])("what $way reads, it reads like the complete scan", ({ decode }) => {
  const seen = { read: 0, left: 0 };
  const originals = requestTypes.map((type) => JSON.stringify(aMessage(type)));
  const pieces = [
    "1.5",
    "1e2",
    "-0",
    "-5",
    "007",
    "1.",
    '"x"',
    "null",
    "true",
    "fals",
    "",
    "{}",
    " ",
  ];
  pieces.push(
    '"10":1,',
    '"name":"x",',
    '"memory":7,',
    '"tags":null,',
    '"\\n"',
    '"\u00e9"',
    "\u00a0",
  );
  pieces.push('"x":[{"y":[[],{}]},-1.5e+3,false],', '"memory":12345678901,', '"nodes":{},');
  const changed = fc.record({
    original: fc.constantFrom(...originals),
    at: fc.nat(4000),
    cut: fc.nat(3),
    piece: fc.constantFrom(...pieces),
  });
  fc.assert(
    fc.property(changed, ({ original, at, cut, piece }) => {
      // Most changes break the text; those right behind a comma or colon have a chance.
      const start =
        original.slice(at % original.length).search(/[,:{[]/) + (at % original.length) + 1;
      const bytes = bytesOf(original.slice(0, start) + piece + original.slice(start + cut));
      const parsed = decode(bytes);
      if (parsed !== undefined) expect(parsed).toEqual(decodeScanned(bytes));
      seen[parsed === undefined ? "left" : "read"]++;
    }),
    { numRuns: randomRuns(6000) },
  );
  expect(seen.read).toBeGreaterThan(randomRuns(400));
  expect(seen.left).toBeGreaterThan(randomRuns(400));
});

/** Changes of a message that no quick way reads. */
const forNoQuickWay = [
  { why: "a fraction for an integer", from: '"memory":', to: '"memory":0.5,"was":' },
  { why: "a number with a leading zero", from: '"memory":', to: '"memory":01,"was":' },
  { why: "null for what is needed", from: '"memory":', to: '"memory":null,"was":' },
  { why: "a missing key", from: '"memory":', to: '"was":' },
  { why: "an escape", from: '"web.example', to: '"w\\u0065b.example' },
  { why: "an unknown node", from: '"nodes":["node1', to: '"nodes":["node9' },
  { why: "a comma too many", from: '"tags":["service:web"]', to: '"tags":["service:web",]' },
] as const;

/** The message of the tables, and the same after a replacement. */
function beforeAndAfter(from: string | RegExp, to: string): readonly [Uint8Array, Uint8Array] {
  const text = JSON.stringify(aMessage("allocate"));
  const changed = text.replace(from, to);
  expect(changed).not.toBe(text);
  return [bytesOf(text), bytesOf(changed)];
}

test.each([
  ...forNoQuickWay,
  { why: "a number of more than 9 digits", from: '"memory":', to: '"memory":1234567890,"was":' },
  { why: "a repeated key that matters", from: '"memory":', to: '"memory":1,"memory":' },
  { why: "a character beyond ASCII", from: '"os":"', to: '"os":"\u00e9' },
  {
    why: "deep nesting",
    from: '"os":',
    to: `"deep":${"[".repeat(100)}${"]".repeat(100)},"os":`,
  },
])("$why is left to the other way", ({ from, to }) => {
  const [before, after] = beforeAndAfter(from, to);
  expect(decodeQuickly(before)).toBeDefined();
  expect(decodeQuickly(after)).toBeUndefined();
});

test.each([
  { why: "names that look like numbers", from: '"node1.example.com"', to: '"10"' },
  { why: "repeated keys that do not matter", from: '"os":', to: '"os":1,"os":' },
  { why: "blanks", from: ",", to: " ,\n\t " },
])("$why are read quickly", ({ from, to }) => {
  const bytes = bytesOf(JSON.stringify(aMessage("allocate")).replaceAll(from, to));
  expect(decodeQuickly(bytes, 0)).toEqual(decodeScanned(bytes));
});

test.each([
  ...forNoQuickWay,
  { why: "an integer of 16 digits", from: '"memory":', to: '"memory":1234567890123456,"was":' },
  { why: "a repeated key", from: '"os":', to: '"os":1,"os":' },
  { why: "a repeated key with a blank", from: '"os":', to: '"os" :1,"os" :' },
  {
    why: "a repeated key before a text that begins with a colon",
    from: '"os":',
    to: '"os":":x","os":":y","was":',
  },
  { why: "an integer as a name", from: /"node1\.example\.com"/g, to: '"10"' },
  { why: "a blank before the message", from: /^/, to: " " },
  { why: "a blank of Unicode", from: '"os":', to: '"os":\u00a0' },
  {
    why: "deep nesting",
    from: '"os":',
    to: `"deep":${"[".repeat(600)}${"]".repeat(600)},"os":`,
  },
])("$why is left to the complete scan by the engine's parser", ({ from, to }) => {
  const [before, after] = beforeAndAfter(from, to);
  expect(decodeParsed(before)).toEqual(decodeScanned(before));
  expect(decodeParsed(after)).toBeUndefined();
});

test("bytes that are not UTF-8 are left to the complete scan by the engine's parser", () => {
  const bytes = bytesOf(JSON.stringify(aMessage("allocate")).replace('"os":"', '"os":"?'));
  bytes[bytes.indexOf(0x3f)] = 0xff;
  expect(decodeParsed(bytes)).toBeUndefined();
});

test("blanks, a number with an exponent and a character beyond ASCII are read by the engine's parser", () => {
  const text = JSON.stringify(aMessage("allocate"))
    .replaceAll(",", " ,\n\t ")
    .replace(/"memory":\d+/, '"memory":1e3')
    .replace('"os":"', '"os":"\u00e9');
  expect(decodeParsed(bytesOf(text))).toEqual(decodeScanned(bytesOf(text)));
});

test("instances that stand before nodes of the same name are read quickly", () => {
  const { nodes, ...others } = aMessage("allocate");
  const text = JSON.stringify({ ...others, nodes }).replace('"node3', '"node1');
  expect(decodeQuickly(bytesOf(text))).toEqual(decodeScanned(bytesOf(text)));
});

test("the compiled scan is that of its sources", () => {
  const folder = new URL("../wasm/", import.meta.url);
  expect(recordScanSource, "run `pnpm build:wasm`").toBe(sourceDigest(folder));
});

test("without WebAssembly a message is read all the same", () => {
  const bytes = bytesOf(JSON.stringify(aMessage("allocate")));
  vi.stubGlobal("WebAssembly", undefined);
  expect(decodeQuickly(bytes, 0)).toBeUndefined();
  expect(decodeMessage(bytes)).toEqual(decodeScanned(bytes));
  vi.unstubAllGlobals();
});

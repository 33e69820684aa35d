// The JSON reader against the language's own, and against random bytes.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decodeMessage, MessageError } from "../src/index.js";
import { JsonDocument } from "../src/json/json-document.js";
import { aMessage, type Json, requestTypes } from "./message.js";
import { randomRuns } from "./random-runs.js";

/** Blanks, the same everywhere in a text or none. */
const indents = fc.constantFrom("", " ", "\t", "  ");

test("any JSON reads as JSON.parse reads it", () => {
  const values = fc.oneof(
    fc.array(fc.jsonValue({ maxDepth: 4 })),
    fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ stringUnit: "binary" })),
  );
  fc.assert(
    fc.property(values, indents, (value, indent) => {
      const text = JSON.stringify(value, undefined, indent);
      expect(readWhole(text)).toEqual(parsed(text));
    }),
    { numRuns: 200 },
  );
});

test("what JSON.parse accepts is accepted, and little else", () => {
  const seen = { both: 0, neither: 0, moreLenient: 0 };
  const pieces = [...'[]{},:"\\ \n-+.eE019tfnu', "true", "null", '"a"', '"a":', "1.5", "\\u0041"];
  const texts = fc
    .array(fc.constantFrom(...pieces, "\v", "\b", "\u00a0"), { maxLength: 8 })
    .map((list) => `[${list.join("")}]`);
  const changed = fc
    .record({ at: fc.nat(200), piece: fc.constantFrom(...pieces) })
    .map(({ at, piece }) => {
      const text = '{"a": [1, -2.5e3, "x\\n\\u00e9"], "b": {"c": null, "d": [true, false]}}';
      return `${text.slice(0, at)}${piece}${text.slice(at + 1)}`;
    });
  fc.assert(
    fc.property(fc.oneof(texts, changed), (text) => {
      const theirs = parsed(text);
      const ours = accepted(text);
      // Both differences are Ganeti's: numbers like `1.`, and blanks that JSON does not have.
      const lenient = /\d\.(?!\d)|[\v\u00a0]/.test(text);
      if (ours && theirs === undefined && lenient) seen.moreLenient++;
      else if (/^\s/.test(text)) expect(ours).toBe(false);
      else {
        expect(ours).toBe(theirs !== undefined);
        if (ours) expect(readWhole(text)).toEqual(theirs);
        seen[ours ? "both" : "neither"]++;
      }
    }),
    { numRuns: randomRuns(8000) },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(3);
});

test("mutated bytes give a message or a MessageError, never anything else", () => {
  const seen = { accepted: 0, refused: 0 };
  const originals = requestTypes.map((type) =>
    new TextEncoder().encode(JSON.stringify(aMessage(type))),
  );
  const mutation = fc.record({
    at: fc.nat(),
    byte: fc.oneof(fc.nat(255), fc.constantFrom(...Buffer.from('"\\{}[],:-.0e'))),
    how: fc.constantFrom("set", "set", "insert", "remove", "cut", "repeat"),
  });
  const bytes = fc
    .record({
      original: fc.constantFrom(...originals),
      mutations: fc.array(mutation, { maxLength: 4 }),
    })
    .map(({ original, mutations }) => {
      let spoiled = Buffer.from(original);
      for (const { at, byte, how } of mutations) {
        const place = at % (spoiled.length + 1);
        const [before, after] = [spoiled.subarray(0, place), spoiled.subarray(place)];
        if (how === "set") spoiled[Math.min(place, spoiled.length - 1)] = byte;
        else if (how === "insert") spoiled = Buffer.concat([before, Uint8Array.of(byte), after]);
        else if (how === "remove")
          spoiled = Buffer.concat([before, after.subarray(1 + (byte % 16))]);
        else if (how === "cut" && byte < 32) spoiled = before;
        else if (how === "repeat")
          spoiled = Buffer.concat([before, after.subarray(0, byte), after]);
      }
      return spoiled;
    });
  fc.assert(
    fc.property(bytes, (message) => {
      try {
        const { cluster } = decodeMessage(message);
        expect(cluster.nodes.length).toBeGreaterThan(0);
        seen.accepted++;
      } catch (error) {
        if (!(error instanceof MessageError)) throw error;
        expect(error.message).not.toBe("");
        seen.refused++;
      }
    }),
    { numRuns: randomRuns(4000) },
  );
  expect(seen.accepted).toBeGreaterThan(randomRuns(400));
  expect(seen.refused).toBeGreaterThan(randomRuns(400));
});

function parsed(text: string): Json | undefined {
  try {
    // There is only one zero here.
    return JSON.parse(text, (_, value: Json) => (value === 0 ? 0 : value)) as Json;
  } catch {
    return undefined;
  }
}

function accepted(text: string): boolean {
  try {
    new JsonDocument(new TextEncoder().encode(text));
    return true;
  } catch (error) {
    if (error instanceof MessageError) return false;
    throw error;
  }
}

function readWhole(text: string): Json {
  return valueAt(new JsonDocument(new TextEncoder().encode(text)), 0);
}

function valueAt(document: JsonDocument, value: number): Json {
  switch (document.kind(value)) {
    case "null":
      return null;
    case "boolean":
      return document.boolean(value) as boolean;
    case "number":
      return document.double(value) as number;
    case "string":
      return document.string(value, true);
    case "array":
      return document.items(value).map((item) => valueAt(document, item));
    case "object": {
      // The last of repeated keys counts for JSON.parse.
      const entries: [string, Json][] = [];
      const end = document.end(value);
      for (let key = document.first(value); key < end; key = document.after(key + 1)) {
        entries.push([document.string(key), valueAt(document, key + 1)]);
      }
      return Object.fromEntries(entries);
    }
  }
}

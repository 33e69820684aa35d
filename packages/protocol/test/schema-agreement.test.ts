// The zod schema and the decoder accept and refuse the same messages.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decodeMessage, MessageError, WireMessage } from "../src/index.js";
import { messages, spoil, spoilings } from "./arbitraries.js";
import type { JsonObject } from "./message.js";

test("valid messages are accepted by both, with the same things in the same order", () => {
  fc.assert(
    fc.property(messages, (message) => {
      const { cluster, request } = decodeMessage(JSON.stringify(message));
      const parsed = WireMessage.parse(message);
      expect(cluster.nodes.map(({ name }) => name)).toEqual(Object.keys(parsed.nodes));
      expect(cluster.instances.map(({ name }) => name)).toEqual(Object.keys(parsed.instances));
      expect(request.type).toBe(parsed.request.type);
    }),
    { numRuns: 100 },
  );
});

test("spoiled messages are accepted or refused by both", () => {
  const seen = { accepted: 0, refused: 0 };
  fc.assert(
    fc.property(messages, fc.array(spoilings, { minLength: 1, maxLength: 3 }), (message, list) => {
      for (const spoiling of list) spoil(message, spoiling);
      fc.pre(!differs(message));
      const accepted = decodes(JSON.stringify(message));
      expect(WireMessage.safeParse(message).success).toBe(accepted);
      seen[accepted ? "accepted" : "refused"]++;
    }),
    { numRuns: 1000 },
  );
  expect(seen.accepted).toBeGreaterThan(100);
  expect(seen.refused).toBeGreaterThan(100);
});

function decodes(text: string): boolean {
  try {
    decodeMessage(text);
    return true;
  } catch (error) {
    if (error instanceof MessageError) return false;
    throw error;
  }
}

/** Where the two differ by decision: docs/differences.md, "Schema and decoder". */
function differs(message: JsonObject): boolean {
  const { type, instances, group_name } = (message.request ?? {}) as JsonObject;
  const unread = type === "multi-allocate" && Array.isArray(instances) && instances.length === 0;
  return (
    (unread && typeof (group_name ?? "") !== "string") ||
    JSON.stringify(message).includes('"__proto__"')
  );
}

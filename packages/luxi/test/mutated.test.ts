// Messages that were changed on their way: each complete one is answered, none is carried out that is
// not JSON, and the server outlives them all.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createLuxiServer,
  decodeResponse,
  FrameReader,
  GanetiError,
  type LuxiHandler,
  LuxiProtocolError,
} from "@ganeti-ts/luxi";
import { randomRuns } from "@ganeti-ts/testkit";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { exchangesOf } from "./exchanges.js";
import { RawClient } from "./sockets.js";

const file = new URL("fixtures/exchanges.json", import.meta.url);
const exchanges = exchangesOf("exchanges.json", readFileSync(file, "utf8"));

const bytesMax = 4096;
let calls = 0;
/** Answers every call: only their number matters. */
const handler = new Proxy({} as LuxiHandler, {
  get: () => () => {
    calls++;
    return null;
  },
});

const faults: unknown[] = [];
const server = createLuxiServer({
  handler,
  limits: { requestBytesMax: bytesMax, lingerMs: 1_000 },
  onFault: (error) => faults.push(error),
});
const folder = mkdtempSync(join(tmpdir(), "luxi-"));
const path = join(folder, "s");

interface Mutation {
  readonly at: number;
  readonly removed: number;
  readonly inserted: Uint8Array;
}

const pieces = fc.oneof(
  fc.uint8Array({ maxLength: 4 }),
  fc.constantFrom("\x03", "null", "[", "}", '"', "1e999", "-0", "\\ud800", "\u0000", "\xff", ",,"),
  fc.constantFrom("[".repeat(300), "9".repeat(400), "x".repeat(bytesMax)),
);
const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat({ max: 200 }),
  removed: fc.nat({ max: 3 }),
  inserted: pieces.map((piece) =>
    typeof piece === "string" ? Buffer.from(piece, "latin1") : piece,
  ),
});
const changed = (texts: readonly string[]) =>
  fc
    .tuple(fc.constantFrom(...texts), fc.array(mutation, { minLength: 1, maxLength: 3 }))
    .map(([text, mutations]) =>
      mutations.reduce((bytes, { at, removed, inserted }) => {
        const from = Math.min(at, bytes.length);
        return Buffer.concat([bytes.subarray(0, from), inserted, bytes.subarray(from + removed)]);
      }, Buffer.from(text)),
    );

beforeAll(() => server.listen({ path }));
afterAll(async () => {
  await server.close({ graceMs: 0 });
  rmSync(folder, { recursive: true });
});

const isJson = (bytes: Uint8Array): boolean => {
  try {
    JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return true;
  } catch {
    return false;
  }
};

const seen = { done: 0, refused: 0, unfinished: 0, tooLong: 0, inPieces: 0 };

test("of thousands of changed requests each complete one is answered, and only JSON is carried out", async () => {
  const how = fc.record({ ended: fc.integer({ min: 0, max: 9 }).map((n) => n > 0), cut: fc.nat() });
  const requests = changed(exchanges.map(({ request }) => request));
  await fc.assert(
    fc.asyncProperty(requests, how, async (bytes, { ended, cut }) => {
      const stream = ended ? Buffer.concat([bytes, Uint8Array.of(3)]) : bytes;
      const { messages, tooLong } = framesOf(stream);
      const before = calls;
      const client = new RawClient(path);
      await sendInPieces(client, stream, cut);
      const answers: string[] = [];
      for (let left = messages.length + (tooLong ? 1 : 0); left > 0; left--) {
        const answer = await client.answer();
        if (answer !== undefined) answers.push(answer);
      }
      client.socket.end();
      expect(await client.answer()).toBeUndefined();
      client.socket.destroy();
      expect(answers).toHaveLength(messages.length + (tooLong ? 1 : 0));
      expect(calls - before).toBeLessThanOrEqual(messages.filter(isJson).length);
      for (const answer of answers) {
        const { success } = JSON.parse(answer) as { success: boolean };
        expect(typeof success).toBe("boolean");
        seen[success ? "done" : "refused"]++;
      }
      if (!ended) seen.unfinished++;
      if (tooLong) seen.tooLong++;
    }),
    { numRuns: randomRuns(10_000) },
  );
  expect(faults).toEqual([]);
  for (const [kind, count] of Object.entries(seen))
    expect(count, kind).toBeGreaterThan(randomRuns(50));
  expect(server.connectionCount()).toBeLessThan(10);
});

/** Some are sent in two pieces, with other work of the server between them. */
async function sendInPieces(client: RawClient, stream: Uint8Array, cut: number): Promise<void> {
  if (cut % 4 !== 0) {
    client.write(stream);
    return;
  }
  seen.inPieces++;
  const at = cut % (stream.length + 1);
  client.write(stream.subarray(0, at));
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  client.write(stream.subarray(at));
}

/** The messages before the first one that is too long, found without the code under test. */
function framesOf(stream: Uint8Array): { messages: Buffer[]; tooLong: boolean } {
  const texts = Buffer.from(stream).toString("latin1").split("\x03");
  const first = texts.findIndex(({ length }) => length > bytesMax);
  const complete = texts.slice(0, first < 0 ? -1 : first);
  return { messages: complete.map((text) => Buffer.from(text, "latin1")), tooLong: first >= 0 };
}

test("thousands of changed responses are results, errors of the master or protocol errors", () => {
  const told = { results: 0, errors: 0, unreadable: 0 };
  fc.assert(
    fc.property(changed(exchanges.map(({ response }) => response)), (bytes) => {
      try {
        decodeResponse(bytes);
        told.results++;
      } catch (error) {
        if (error instanceof GanetiError) told.errors++;
        else if (error instanceof LuxiProtocolError) told.unreadable++;
        else throw error;
      }
    }),
    { numRuns: randomRuns(10_000) },
  );
  for (const [kind, count] of Object.entries(told))
    expect(count, kind).toBeGreaterThan(randomRuns(50));
});

test("a stream gives the same messages however it is cut", () => {
  fc.assert(
    fc.property(fc.uint8Array({ max: 4 }), fc.array(fc.nat({ max: 5 })), (stream, cuts) => {
      const shown = (message?: Uint8Array) => Buffer.from(message ?? []).toString("hex");
      const whole = [...new FrameReader(1000).take(stream)].map(shown);
      const reader = new FrameReader(1000);
      const cut: string[] = [];
      let at = 0;
      for (const length of [...cuts, stream.length]) {
        cut.push(...[...reader.take(stream.subarray(at, at + length))].map(shown));
        at += length;
      }
      expect(cut).toEqual(whole);
    }),
  );
});

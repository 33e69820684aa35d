// Damaged messages to a whole server: it answers or closes, its cluster stays as it is.

import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { createLuxiClient } from "@ganeti-ts/luxi";
import { type JobId, type Json, type JsonObject, parseJson, writeJson } from "@ganeti-ts/protocol";
import { randomRuns } from "@ganeti-ts/testkit";
import fc from "fast-check";
import { expect, test } from "vitest";
import { withInstances } from "../instances.js";
import { aServer } from "../served.js";

const file = new URL("../../../../packages/luxi/test/fixtures/exchanges.json", import.meta.url);
const { exchanges } = parseJson(readFileSync(file, "utf8")) as {
  readonly exchanges: readonly JsonObject[];
};
const requests = exchanges.flatMap(({ request }) => (request ? [writeJson(request as Json)] : []));

/** Invalid JSON: the text is cut, or contains a byte that is invalid everywhere. */
const damaged = fc
  .record({
    request: fc.constantFrom(...requests),
    at: fc.nat(),
    piece: fc.constantFrom(
      "\\",
      "\u0001",
      "]",
      "}",
      ",",
      '"',
      "\u00ff",
      "{",
      "nul",
      "1e",
      "\u0000",
    ),
    cut: fc.boolean(),
  })
  .map(({ request, at, piece, cut }) => {
    const where = at % request.length;
    return request.slice(0, where) + piece + (cut ? "" : request.slice(where));
  })
  .filter((text) => !isJson(text));

/** Valid JSON with one replaced value. */
const changed = fc
  .record({
    request: fc.constantFrom(...requests.filter((text) => !/"(Submit|Set|Replace)/.test(text))),
    at: fc.nat(),
    by: fc.constantFrom<Json>(null, [], {}, -1, 2 ** 40, "x", true, [[]], { OP_ID: "OP_NOSUCH" }),
  })
  .map(({ request, at, by }) => {
    const message = parseJson(request) as { readonly args: readonly Json[] };
    const args = message.args.map((one, index) => (index === at % message.args.length ? by : one));
    return writeJson({ ...(message as JsonObject), args });
  })
  // With another valid argument these methods would still change the cluster.
  .filter(
    (text) => !/"(ArchiveJob|AutoArchiveJobs|CancelJob|ChangeJobPriority|DeleteFilter)"/.test(text),
  );

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Sends a message; resolves with the answer, or undefined if the server closed without one. */
const exchange = (path: string, message: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    const socket = connect(path);
    let text = "";
    socket.setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
      if (text.endsWith("\u0003")) socket.destroy();
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(text.endsWith("\u0003") ? text.slice(0, -1) : undefined));
    socket.end(`${message}\u0003`);
  });

test("thousands of damaged messages are refused, and change nothing on the cluster", async () => {
  const server = await aServer("--no-ssl");
  await withInstances(server, [{ instance_name: "one.example.com" }]);
  const { path } = server.luxi;
  const state = async () => {
    const client = createLuxiClient({ path });
    const jobs = await client.queryJobs({ ids: null, fields: ["id", "status", "priority"] });
    const values = await client.queryConfigValues({ names: ["drain_flag", "watcher_pause"] });
    client.close();
    return [server.cluster.snapshot().serial, jobs, values, server.cluster.queue.rules];
  };
  const before = await state();
  const seen = { refused: 0, answered: 0 };
  await fc.assert(
    fc.asyncProperty(fc.oneof({ weight: 3, arbitrary: damaged }, changed), async (message) => {
      const answer = await exchange(path, message);
      // Each complete request has an answer: clients send again one that has none.
      const { success, result } = parseJson(answer ?? "") as JsonObject;
      seen[success ? "answered" : "refused"]++;
      if (!success && typeof result === "string")
        expect(result).toMatch(/^Failed to parse request: /);
      if (!isJson(message)) expect(success).toBe(false);
    }),
    { numRuns: randomRuns(10_000) },
  );
  expect(await state()).toEqual(before);
  expect(seen.refused).toBeGreaterThan(randomRuns(5000));
  expect(seen.answered).toBeGreaterThan(randomRuns(100));
  const client = createLuxiClient({ path });
  const id = await client.submitJob({
    opcodes: [{ OP_ID: "OP_TEST_DELAY", duration: 0.001, reason: [] }] as never,
  });
  expect((await server.cluster.queue.ended(id as JobId)).status).toBe("success");
  client.close();
  await server.end();
});

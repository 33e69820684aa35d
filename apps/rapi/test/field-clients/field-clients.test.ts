// Requests of programs of the field, in files written after reading them, and the answers that they need.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JobId, Json, JsonObject } from "@ganeti-ts/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { endOf, withInstances } from "../instances.js";
import { aServer, type TestServer } from "../served.js";

interface Exchange {
  readonly request: string;
  readonly body?: Json;
  /** 200 if absent. */
  readonly status?: number;
  /** The answer is a job's id, and the job ends so; jobs that it submits, too. */
  readonly job?: string;
  /** Keys of the answer, or of each of its items. */
  readonly has?: readonly string[];
  readonly each?: readonly string[];
  /** Keys of the items whose values are numbers. */
  readonly numbers?: readonly string[];
  /** Values by path. */
  readonly is?: Readonly<Record<string, Json>>;
}

let server: TestServer;
beforeAll(async () => {
  server = await aServer();
  await withInstances(server, [{ instance_name: "there.example.com" }]);
});
afterAll(() => server.end());

const clients = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".json"));

describe.each(clients)("%s", (file) => {
  const exchanges: Exchange[] = JSON.parse(readFileSync(join(import.meta.dirname, file), "utf8"));
  test.each(exchanges)("$request", async (exchange) => {
    const [method = "", path = ""] = exchange.request.split(" ");
    const { status, text, ...asked } = await server.ask(method, path, { body: exchange.body });
    expect([status, status === 200 ? "" : text]).toEqual([
      exchange.status ?? 200,
      status === 200 ? "" : expect.any(String),
    ]);
    const answer = asked.body;
    if (exchange.job !== undefined) {
      // A bare number, for those who read no JSON.
      expect(text).toMatch(/^\d+\n$/);
      expect(await endOf(server, answer as JobId)).toEqual([exchange.job, expect.anything()]);
      const [[row]] = (await server.world.queue.query([answer as JobId], ["opresult"])) as [[Json]];
      for (const id of childrenOf(row)) {
        expect((await endOf(server, id))[0]).toBe("success");
      }
    }
    expect(Object.keys(answer ?? {})).toEqual(expect.arrayContaining([...(exchange.has ?? [])]));
    for (const item of exchange.each ? (answer as JsonObject[]) : []) {
      expect(Object.keys(item)).toEqual(expect.arrayContaining([...(exchange.each ?? [])]));
      for (const key of exchange.numbers ?? []) expect(typeof item[key]).toBe("number");
    }
    for (const [key, value] of Object.entries(exchange.is ?? {})) {
      expect(valueAt(answer, key)).toBe(value);
    }
  });
});

const childrenOf = (results: Json): JobId[] =>
  (results as { jobs?: [boolean, JobId][] }[]).flatMap((one) =>
    (one?.jobs ?? []).map(([, id]) => id),
  );

/** The names of keys have dots in them. */
function valueAt(value: Json, path: string): unknown {
  const object = value as Record<string, Json>;
  if (Object.hasOwn(object, path)) return object[path];
  const key = Object.keys(object).find((one) => path.startsWith(`${one}.`));
  return key === undefined ? undefined : valueAt(object[key] as Json, path.slice(key.length + 1));
}

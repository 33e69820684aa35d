import { randomRuns } from "@ganeti-ts/testkit";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  confdTypes,
  readConfdAnswer,
  readConfdQuery,
  writeConfdAnswer,
  writeConfdQuery,
} from "../src/index.js";
import { key } from "./fake-servers.js";

const nowSeconds = 1_700_000_000;
const text = fc.string({ unit: "binary", maxLength: 20 });

const argument = fc.oneof(
  fc.constant(null),
  text,
  fc.record(
    { "0": text, "1": text, "2": fc.array(text), "3": fc.array(fc.constantFrom(0, 1, 2)) },
    { requiredKeys: [] },
  ),
);

test("a query that is written is read as it was", () => {
  const seen = { empty: 0, plain: 0, object: 0 };
  fc.assert(
    fc.property(
      fc.constantFrom(...Object.values(confdTypes)),
      argument,
      text,
      (type, query, rsalt) => {
        const datagram = writeConfdQuery({ type, query, rsalt } as never, { key, nowSeconds });
        const reading = readConfdQuery(datagram, { key, nowSeconds });
        // 4096 bytes are read.
        fc.pre(datagram.length <= 4096);
        expect(reading).toEqual({ ok: true, query: { protocol: 1, type, query, rsalt } });
        seen[query === null ? "empty" : typeof query === "string" ? "plain" : "object"]++;
      },
    ),
    { seed: 1, numRuns: randomRuns(500) },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(randomRuns(50));
});

test("an answer that is written is read as it was, and no byte of it can be changed", () => {
  let changed = 0;
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 4 }),
      fc.nat(),
      text,
      fc.nat(),
      (answer, serial, rsalt, at) => {
        const datagram = Buffer.from(writeConfdAnswer({ status: 0, answer, serial }, rsalt, key));
        const value = JSON.parse(JSON.stringify(answer)) as unknown;
        const expected = {
          ok: true,
          rsalt,
          answer: { protocol: 1, status: 0, answer: value, serial },
        };
        expect(readConfdAnswer(datagram, key)).toEqual(expected);
        const damaged = Buffer.from(datagram);
        const place = at % damaged.length;
        damaged[place] = (damaged[place] ?? 0) ^ 1;
        expect(readConfdAnswer(damaged, key).ok).toBe(false);
        changed++;
      },
    ),
    { seed: 1, numRuns: randomRuns(500) },
  );
  expect(changed).toBeGreaterThan(randomRuns(400));
});

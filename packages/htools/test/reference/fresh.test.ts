// The original and this package answer the same to messages that neither has seen before.
import { randomMessage, requestTypes } from "@ganeti-ts/testkit";
import { describe, expect, test } from "vitest";
import { ourAnswer } from "../our-answer.js";
import { hailAnswer, missing } from "./hail.js";

if (missing) console.warn(`\n*** SKIPPED: answers are not compared with the original: ${missing} ***\n`);

/** `FRESH_CASES=2000 FRESH_SEED=17` looks at more, or once more at the same. */
const count = Number(process.env["FRESH_CASES"] ?? 25);
const first = Number(process.env["FRESH_SEED"] ?? Math.floor(Date.now() / 1000) % 1e6) * 1000;

describe.skipIf(missing)(`as hail answers, seeds from ${first}`, () => {
  test.each(requestTypes)("%s", { timeout: 5000 * count }, (type) => {
    const seen = { accepted: 0, refused: 0 };
    for (let seed = first; seed < first + count; seed++) {
      const { message, switches } = randomMessage(seed, type);
      const expected = hailAnswer(message, switches);
      if (expected === undefined) continue;
      expect(ourAnswer(message, switches), `randomMessage(${seed}, "${type}")`).toBe(expected);
      seen[expected.startsWith('{"success":true') ? "accepted" : "refused"]++;
    }
    expect(seen.accepted).toBeGreaterThan(0);
  });
});

import { expect, test } from "vitest";
import { aSnapshot } from "./cluster.js";
import { differences } from "./differences.js";
import { answerTo, messageOf, recordingIn } from "./exchange.js";

const recording = recordingIn(new URL("reference/ganeti-confd-3.0.2.json", import.meta.url));
const key = Buffer.from(recording.key);
const now = aSnapshot();

const equal = recording.pairs.filter(({ name }) => differences[name] === undefined);

test.each(equal)("$name is answered byte for byte as by Ganeti 3.0.2", ({ query, at, answer }) => {
  const own = answerTo(now, query, key, at);
  expect(messageOf(own)).toBe(messageOf(answer));
  expect(own).toBe(answer);
});

test.each(Object.entries(differences))(
  "%s differs from Ganeti 3.0.2 as documented",
  (name, one) => {
    const pair = recording.pairs.find((recorded) => recorded.name === name);
    if (pair === undefined) throw new Error("an exchange of this name is recorded");
    const own = answerTo(now, pair.query, key, pair.at);
    expect(own).not.toBe(pair.answer);
    expectPart(messageOf(pair.answer), one.theirs);
    expectPart(messageOf(own), one.ours);
  },
);

function expectPart(message: string | null, part: string | null): void {
  if (part === null) expect(message).toBeNull();
  else expect(message).toContain(part);
}

test("the recording has answers, errors and silence", () => {
  expect(equal.length).toBeGreaterThan(120);
  const answers = equal.map(({ answer }) => messageOf(answer));
  expect(answers.filter((one) => one === null).length).toBeGreaterThan(20);
  expect(answers.filter((one) => one?.includes('"status":1')).length).toBeGreaterThan(20);
});

// The answers recorded from the original, wherever that is not installed.
import { randomMessage } from "@ganeti-ts/testkit";
import { expect, test } from "vitest";
import { ourAnswer } from "../our-answer.js";
import { digestOf, record, recordedAnswers } from "./recorded.js";

if (process.env["RECORD"] !== undefined) record();
const answers = recordedAnswers();

test("the recorded answers belong to the messages that the test kit makes now; otherwise record them again", () => {
  expect(answers).toHaveLength(300);
  const changed = answers.filter(({ seed, type, digest }) => digestOf(seed, type) !== digest);
  expect(changed.map(({ seed, type }) => `${type} ${seed}`)).toEqual([]);
});

test("both kinds of outcome were recorded for each type that has both", () => {
  const kinds = new Set(answers.map(({ type, answer }) => `${type} ${answer.startsWith('{"success":true')}`));
  expect(kinds.size).toBe(10);
});

test.each(answers)("$type $seed", ({ type, seed, answer }) => {
  const { message, switches } = randomMessage(seed, type);
  expect(ourAnswer(message, switches)).toBe(answer);
});

import { expect, test } from "vitest";
import { painted } from "./feedback.js";

const time = "Fri Nov 20 21:00:00 2026";

test("errors are red and warnings yellow, from the word to the end of the line", () => {
  expect(painted(`${time}   - ERROR: node n: no answer`)).toBe(
    `${time}   \x1b[31m- ERROR: node n: no answer\x1b[0m`,
  );
  expect(painted(`${time}   - WARNING:ENODEHV:node:n:old`)).toBe(
    `${time}   \x1b[33m- WARNING:ENODEHV:node:n:old\x1b[0m`,
  );
});

test.each(["* Verifying node status", "  - NOTICE: 2 instances", "no - ERRORS here"])(
  "%s stays as it is",
  (text) => expect(painted(text)).toBe(text),
);

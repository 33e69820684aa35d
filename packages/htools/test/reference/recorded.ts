// The recorded answers in answers.txt: a line `TYPE SEED DIGEST` and an indented line with the answer
// that hail gave to `randomMessage(SEED, TYPE)`. The digest is that of the message.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { randomMessage, type RequestType, requestTypes, wireMessage } from "@ganeti-ts/testkit";
import { hailAnswer } from "./hail.js";

const file = new URL("answers.txt", import.meta.url);
const casesPerType = 50;
/** Longer ones only repeat the policies of all groups. */
const lengthMax = 2500;

export interface Recorded {
  readonly type: RequestType;
  readonly seed: number;
  readonly digest: string;
  readonly answer: string;
}

export function recordedAnswers(): Recorded[] {
  const lines = readFileSync(file, "utf8").split("\n").filter((line) => /^[^#]/.test(line));
  return Array.from({ length: lines.length / 2 }, (_, at): Recorded => {
    const [type, seed, digest] = (lines[2 * at] as string).split(" ");
    const answer = `${(lines[2 * at + 1] as string).trim()}\n`;
    return { type: type as RequestType, seed: Number(seed), digest: digest as string, answer };
  });
}

/** Changes with everything in the message and the options. */
export function digestOf(seed: number, type: RequestType): string {
  const { message, switches } = randomMessage(seed, type);
  const text = JSON.stringify([wireMessage(message), switches]);
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}

const header = `# Answers of hail of Ganeti 3.0.2 (Debian ganeti-htools 3.0.2-3) to random messages of the test kit.
# Recorded with \`RECORD=1 npx vitest run packages/htools recorded\`; the format: recorded.ts.
`;

export function record(): void {
  const entries = requestTypes.flatMap((type) => {
    const known: string[] = [];
    for (let seed = 0; known.length < casesPerType; seed++) {
      const { message, switches } = randomMessage(seed, type);
      const answer = hailAnswer(message, switches);
      if (answer === undefined || answer.length > lengthMax) continue;
      if (answer.endsWith('"result":[[],[],[]]}\n')) continue; // there are no requests
      known.push(`${type} ${seed} ${digestOf(seed, type)}\n  ${answer}`);
    }
    return known;
  });
  writeFileSync(file, header + entries.join(""));
}

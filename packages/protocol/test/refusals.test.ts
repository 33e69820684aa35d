// Refusals of messages: their words, and the choice among several faults.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { decodeMessage, MessageError, WireMessage } from "../src/index.js";
import { isThorough } from "./random-runs.js";
import { refusals } from "./reference/refusals.js";

const cases = refusals();

test("the table has both kinds", () => {
  expect(cases.length).toBeGreaterThan(400);
  expect(cases.filter(({ error }) => error === undefined).length).toBeGreaterThan(80);
});

test.each(cases)("$why", ({ text, error }) => {
  expect(refusalOf(text)).toBe(error);
});

// A list without instances is the one place where schema and decoder differ, see docs/differences.md.
const known = ["multi-allocate: request group_name = 5; request instances = []"];

test.each(cases.filter(({ why }) => !known.includes(why)))("the schema agrees: $why", (entry) => {
  expect(WireMessage.safeParse(JSON.parse(entry.text)).success).toBe(entry.error === undefined);
});

function refusalOf(text: string): string | undefined {
  try {
    decodeMessage(new TextEncoder().encode(text));
    return undefined;
  } catch (error) {
    if (error instanceof MessageError) return error.message;
    throw error;
  }
}

// The same table against the program it was recorded from.
const hail = "/usr/lib/ganeti/iallocators/hail";
const installed = existsSync(hail) && execFileSync(hail, ["-V"], { encoding: "utf8" });
if (!installed) console.warn(`skipped: no ${hail} to compare the recorded refusals with`);

describe.runIf(installed)("as recorded", () => {
  const folder = mkdtempSync(join(tmpdir(), "refusals-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  test("hail still says so", () => {
    const file = join(folder, "message.json");
    const stride = isThorough ? 1 : 10;
    const some = cases.filter((_, at) => at % stride === 0);
    for (const { why, text, error } of some) {
      writeFileSync(file, text);
      const env = { ...process.env, LC_ALL: "C.UTF-8" };
      const { status, stderr } = spawnSync(hail, [file], { encoding: "utf8", env });
      const said = status === 0 ? undefined : stderr.trim().replace(/^Error: /, "");
      expect(said, why).toBe(error);
    }
  });
});

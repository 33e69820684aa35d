import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HaltError } from "@ganeti-ts/job-queue";
import { expect, onTestFinished, test } from "vitest";
import { readOriginalRest } from "./original.js";

test("additions that a newer server has written beside Ganeti's queue are refused with both versions", async () => {
  const data = mkdtempSync(join(tmpdir(), "original-"));
  onTestFinished(() => rmSync(data, { recursive: true }));
  expect(await readOriginalRest({ data })).toBeUndefined();
  mkdirSync(join(data, "queue"));
  const file = join(data, "queue", "ganeti-ts.json");
  writeFileSync(file, '{"version":1,"held":[]}');
  expect(await readOriginalRest({ data })).toEqual({ version: 1, held: [] });
  writeFileSync(file, '{"version":2,"held":[]}');
  const refused = readOriginalRest({ data });
  await expect(refused).rejects.toBeInstanceOf(HaltError);
  await expect(refused).rejects.toThrow(
    `${file}: version 2 is from a newer version of ganeti-ts; this one knows version 1`,
  );
});

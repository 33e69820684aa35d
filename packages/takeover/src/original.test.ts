import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HaltError } from "@ganeti-ts/job-queue";
import { expect, onTestFinished, test } from "vitest";
import { readOriginalRest } from "./original.js";
import { TakeoverError } from "./takeover-error.js";

test("additions that a newer server has written to Ganeti's queue folder are refused with both versions", async () => {
  const data = mkdtempSync(join(tmpdir(), "original-"));
  onTestFinished(() => rmSync(data, { recursive: true }));
  expect(await readOriginalRest({ data })).toBeUndefined();
  mkdirSync(join(data, "queue"));
  const file = join(data, "queue", "ganeti-ts.json");
  writeFileSync(file, '{"version":1,"held":[]}');
  const rest = { left: { claims: [] }, queueSizeMax: null, wasMadeHere: false };
  expect(await readOriginalRest({ data })).toEqual(rest);
  writeFileSync(file, '{"version":2,"claims":[],"queue":{"sizeMax":50}}');
  expect(await readOriginalRest({ data })).toEqual({ ...rest, queueSizeMax: 50 });
  writeFileSync(file, '{"version":3,"claims":[]}');
  const refused = readOriginalRest({ data });
  await expect(refused).rejects.toBeInstanceOf(HaltError);
  await expect(refused).rejects.toThrow(
    `${file}: version 3 is from a newer version of ganeti-ts; this one knows version 2`,
  );
});

test("additions of another form are refused with their file and what is wrong", async () => {
  const data = mkdtempSync(join(tmpdir(), "original-"));
  onTestFinished(() => rmSync(data, { recursive: true }));
  mkdirSync(join(data, "queue"));
  const file = join(data, "queue", "ganeti-ts.json");
  for (const [text, why] of [
    ['{"version":2,"claims":[{"kind":"export","uuid":"a","job":3}]}', "claims/0/node: "],
    [
      '{"version":1,"held":[{"uuid":"a","held_by":3,"disks":[],"nics":[]}]}',
      "Claim 'a' is invalid: ",
    ],
    ['{"version":2,"default_iallocators":["hail"]}', "default_iallocators: "],
    ['{"version":2,"claims":[],"queue":{"sizeMax":-1}}', "queue/sizeMax: "],
    ['{"version":2,"claims":[],"queue":{"sizeMax":"5"}}', "queue/sizeMax: "],
    ['{"version":2,"claims":[],"queue":[]}', "queue: "],
    ["[]", "it is not a dictionary"],
    ["{", ""],
  ] as const) {
    writeFileSync(file, text);
    const refused = readOriginalRest({ data });
    await expect(refused).rejects.toBeInstanceOf(TakeoverError);
    await expect(refused).rejects.toThrow(`${file}: ${why}`);
  }
});

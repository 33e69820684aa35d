import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DiskOnNode, nodeCalls } from "./catalog.js";
import { aDrbdDisk, anInstance } from "./conformance.js";

test("the catalog has these calls, with these timeouts and effects of repetition", async () => {
  const lines = Object.entries(nodeCalls).map(
    ([name, { timeout, repeat }]) => `${name}: ${timeout}, ${repeat}\n`,
  );
  await expect(lines.sort().join("")).toMatchFileSnapshot("../test/golden/catalog.txt");
});

test("arguments with an unknown or a missing key are refused", () => {
  const { arguments: given } = nodeCalls.instance_start;
  const start = { instance: anInstance({ disks: [aDrbdDisk()] }), startupPaused: false };
  expect(given.safeParse(start).success).toBe(true);
  expect(given.safeParse({ ...start, force: true }).success).toBe(false);
  expect(given.safeParse({ startupPaused: false }).success).toBe(false);
  expect(given.safeParse({ ...start, instance: { ...start.instance, uuid: 1 } }).success).toBe(
    false,
  );
});

test("children of a disk are checked, too", () => {
  const disk = aDrbdDisk();
  expect(DiskOnNode.safeParse(disk).success).toBe(true);
  const [data] = disk.children ?? [];
  expect(DiskOnNode.safeParse({ ...disk, children: [{ ...data, size: "1" }] }).success).toBe(false);
});

test("the main door loads no schema", () => {
  const seen = new Set<string>();
  const follow = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    const text = readFileSync(file, "utf8");
    for (const [, kind, names, path] of text.matchAll(
      /^(import|export)((?:(?!^(?:import|export)).)*?)from "(.*?)";/gms,
    )) {
      const isType =
        /^ type /.test(names ?? "") ||
        (names ?? "").split(",").every((one) => /^[\s{]*(type |\}?\s*$)/.test(one));
      if (isType || kind === undefined || path === undefined) continue;
      expect(path, file).not.toBe("zod");
      if (path.startsWith(".")) follow(join(file, "..", path.replace(/\.js$/, ".ts")));
    }
  };
  follow(join(import.meta.dirname, "index.ts"));
  expect(seen.size).toBeGreaterThan(5);
  expect(readdirSync(import.meta.dirname)).toContain("catalog.ts");
});

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { usersFile } from "./users-file.js";

const folder = mkdtempSync(join(tmpdir(), "users-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("a changed file is read again after at most a second, or at once on request", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const path = join(folder, "users");
  const warnings: string[] = [];
  const users = usersFile(path, (problem) => warnings.push(problem));
  expect(users.verify("jack", "one")).toBeUndefined();

  writeFileSync(path, "jack one write\n");
  expect(users.verify("jack", "one")).toBeUndefined();
  vi.advanceTimersByTime(1000);
  expect(users.verify("jack", "one")?.name).toBe("jack");

  writeFileSync(path, "jack another write\nbroken\n");
  users.reload();
  expect(users.verify("jack", "another")?.name).toBe("jack");
  expect(users.verify("jack", "one")).toBeUndefined();
  expect(warnings).toEqual([`line 2 of ${path} is not a user`]);

  rmSync(path);
  vi.advanceTimersByTime(1000);
  expect(users.verify("jack", "another")).toBeUndefined();
  vi.useRealTimers();
});

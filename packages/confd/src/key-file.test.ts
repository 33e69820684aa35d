import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createConfdKey, ensureConfdKey, newConfdKey, readConfdKey } from "./key-file.js";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "confd-key-"));
});
afterEach(() => rm(folder, { recursive: true }));

test("a new key is 40 hexadecimal digits and a newline, and no other is the same", () => {
  const keys = [newConfdKey(), newConfdKey()].map((key) => Buffer.from(key).toString());
  for (const key of keys) expect(key).toMatch(/^[0-9a-f]{40}\n$/);
  expect(keys[0]).not.toBe(keys[1]);
});

test("a key file is for its owner to read alone, and is read with its newline", async () => {
  const path = join(folder, "hmac.key");
  const key = await createConfdKey(path);
  expect((await stat(path)).mode & 0o777).toBe(0o400);
  expect(await readConfdKey(path)).toEqual(Buffer.from(key));
  expect(await readFile(path)).toEqual(Buffer.from(key));
});

test("renewing replaces the key and leaves no other file", async () => {
  const path = join(folder, "hmac.key");
  const old = await createConfdKey(path);
  expect(await createConfdKey(path)).not.toEqual(old);
  expect(await readdir(folder)).toEqual(["hmac.key"]);
});

test("a renewed key file keeps the mode that it had, and its owner", async () => {
  const path = join(folder, "hmac.key");
  await createConfdKey(path);
  await chmod(path, 0o440);
  if (process.getuid?.() === 0) await chown(path, 1, 2);
  const before = await stat(path);
  await createConfdKey(path);
  const { mode, uid, gid, ino } = await stat(path);
  expect([mode, uid, gid]).toEqual([before.mode, before.uid, before.gid]);
  expect(ino).not.toBe(before.ino);
});

test("a key is made where there is none, and kept where there is one", async () => {
  const path = join(folder, "hmac.key");
  const made = await ensureConfdKey(path);
  expect((await stat(path)).mode & 0o777).toBe(0o400);
  expect(await ensureConfdKey(path)).toEqual(Buffer.from(made));
  await expect(ensureConfdKey(join(path, "below"))).rejects.toMatchObject({ code: "ENOTDIR" });
});

test("a key that cannot be put into its place leaves no file behind", async () => {
  const path = join(folder, "hmac.key");
  await mkdir(path);
  await expect(createConfdKey(path)).rejects.toThrow();
  expect(await readdir(folder)).toEqual(["hmac.key"]);
});

test.each([
  { why: "empty", content: "", bytes: 0 },
  { why: "too large", content: "x".repeat(4097), bytes: 4097 },
])("a file that is $why is no key", async ({ content, bytes }) => {
  const path = join(folder, "hmac.key");
  await writeFile(path, content);
  await expect(readConfdKey(path)).rejects.toThrow(`${path}: ${bytes} bytes are no key`);
});

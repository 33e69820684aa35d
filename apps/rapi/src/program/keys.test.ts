import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { keysOf } from "./keys.js";

let folder: string;
const path = (name: string) => join(folder, name);
const none = { keyFile: undefined, certificateFile: undefined, chainFile: undefined };
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "keys-"));
  await keysOf(none, path("one.pem"), "one.example.com");
  await keysOf(none, path("other.pem"), "other.example.com");
  writeFileSync(path("text"), "nothing of that kind\n");
  writeFileSync(path("broken"), "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
});
afterAll(() => rmSync(folder, { recursive: true }));

const given = (key?: string, certificate?: string, chain?: string) =>
  keysOf(
    {
      keyFile: key && path(key),
      certificateFile: certificate && path(certificate),
      chainFile: chain && path(chain),
    },
    path("own.pem"),
    "own.example.com",
  );

test("a key and its certificate may be in one file, and others follow", async () => {
  const text = (name: string) => readFileSync(path(name), "utf8");
  expect(await given("one.pem", undefined, "other.pem")).toEqual({
    key: text("one.pem"),
    cert: `${text("one.pem")}\n${text("other.pem")}`,
  });
});

test.each([
  { why: "no key", files: ["text"], says: "there is no private key in FOLDER/text" },
  { why: "no certificate", files: ["one.pem", "text"], says: "no certificate in FOLDER/text" },
  { why: "a broken one", files: ["one.pem", "broken"], says: "FOLDER/broken cannot be read" },
  {
    why: "another's",
    files: ["one.pem", "other.pem"],
    says: "the certificate in FOLDER/other.pem is not that of the key in FOLDER/one.pem",
  },
  {
    why: "nothing to follow",
    files: ["one.pem", "one.pem", "text"],
    says: "no certificate in FOLDER/text",
  },
  { why: "no file", files: ["nosuch"], says: "-K: ENOENT: no such file or directory" },
])("$why is said with the name of the file", async ({ files, says }) => {
  const [key, certificate, chain] = files;
  await expect(given(key, certificate, chain)).rejects.toThrow(says.replaceAll("FOLDER", folder));
});

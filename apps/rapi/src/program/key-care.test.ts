import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { ensureCertificate, type KeyPair } from "./certificate.js";
import { careForKeys } from "./key-care.js";
import { StartError } from "./start-error.js";

let [one, other]: KeyPair[] = [];
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "care-"));
  one = await ensureCertificate(join(folder, "one.pem"), "one.example.com");
  other = await ensureCertificate(join(folder, "other.pem"), "other.example.com");
  rmSync(folder, { recursive: true });
});

/** Log messages and applied keys for files with the content that `read` returns. */
function caring(read: () => Promise<KeyPair>, daysFromNow = 0) {
  const said: string[] = [];
  const used: KeyPair[] = [];
  const say = (level: string) => (_: object, message: string) =>
    void said.push(`${level}: ${message}`);
  const log = { info: say("info"), warn: say("warn"), error: say("error"), debug: say("debug") };
  const now = () => Date.now() + daysFromNow * 24 * 3600 * 1000;
  const care = careForKeys(one as KeyPair, read, (keys) => used.push(keys), { log, now });
  care.stop();
  return { care, said, used };
}

test("changed files are applied, and unchanged ones are not applied again", async () => {
  let files = one as KeyPair;
  const { care, said, used } = caring(async () => files);
  await care.reload();
  expect(used).toEqual([]);
  files = other as KeyPair;
  await care.reload();
  await care.reload();
  expect(used).toEqual([other]);
  expect(said).toEqual(["info: certificate reloaded"]);
});

test("invalid files change nothing", async () => {
  const { care, said, used } = caring(() => Promise.reject(new StartError("no key")));
  await care.reload();
  expect(used).toEqual([]);
  expect(said).toEqual(["error: the certificate could not be reloaded; keeping the current one"]);
});

test.each([
  { days: 5 * 365 - 40, said: [] },
  { days: 5 * 365 - 20, said: ["warn: the certificate expires soon"] },
  { days: 5 * 365 + 20, said: ["error: the certificate has expired"] },
])("after $days days: $said", ({ days, said: expected }) => {
  expect(caring(async () => one as KeyPair, days).said).toEqual(expected);
});

import { expect, test } from "vitest";
import { isSigned, signature } from "./domain.js";

const secret = "0123456789abcdef0123456789abcdef01234567";
const salt = "c0ffee42";

// Recorded value: hmac.new(secret, salt + text, sha1).hexdigest()
test("signatures equal those of Ganeti's clusters", async () => {
  expect(await signature(secret, "0:Hi, I'm Ganeti", salt)).toBe(
    "2c9dfaf79a6da9a1b46ad25a5bcc6007ed4dced2",
  );
});

test("another text, salt or secret results in another signature", async () => {
  const digest = await signature(secret, "text", salt);
  expect(await isSigned(secret, "text", { digest: digest.toUpperCase(), salt })).toBe(true);
  expect(await isSigned(secret, "test", { digest, salt })).toBe(false);
  expect(await isSigned(secret, "text", { digest, salt: "00" })).toBe(false);
  expect(await isSigned(secret.slice(1), "text", { digest, salt })).toBe(false);
});

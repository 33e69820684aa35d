import type { Json } from "@ganeti-ts/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { withoutSecrets } from "./secrets.js";

test("values of secret parameters are covered wherever they are, names are not", () => {
  const creation = { osparams_secret: { root: "s3cret", deep: { er: ["s3cret"] } }, os: "noop" };
  const said = withoutSecrets({ instances: [creation], osparams_private: null });
  expect(said).toEqual({
    instances: [
      { osparams_secret: { root: "<redacted>", deep: { er: "<redacted>" } }, os: "noop" },
    ],
    osparams_private: null,
  });
});

test("what has none is the same value, and covering twice is covering once", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), (given, secret) => {
      const plain = given as Json;
      expect(withoutSecrets(plain)).toBe(plain);
      const once = withoutSecrets([plain, { osparams_private: { key: `of ${secret}` } }]);
      expect(once).toEqual([plain, { osparams_private: { key: "<redacted>" } }]);
      expect(withoutSecrets(once)).toEqual(once);
    }),
    { numRuns: 50 },
  );
});

// The suite `test:browser`: tests of the page in Debian's Chromium, on servers of their own.
import { defineConfig } from "vitest/config";
import { browserTests, neighbours } from "./vitest.preset.ts";
import ProgressReporter from "./vitest.progress.ts";
import SkipReporter from "./vitest.skips.ts";

export default defineConfig({
  resolve: { alias: neighbours },
  test: {
    name: "browser",
    reporters: ["default", new ProgressReporter(), new SkipReporter()],
    include: [`{packages,apps,tooling}/*/{src,test}/${browserTests}`],
    maxWorkers: 1,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 100_000 } },
    env: { TZ: "UTC" },
  },
});

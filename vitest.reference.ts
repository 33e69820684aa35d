// The suite `test:reference`: tests of any package that run Debian's Ganeti on a bench.
import { defineConfig } from "vitest/config";
import { neighbours, referenceTests } from "./vitest.preset.ts";
import ProgressReporter from "./vitest.progress.ts";
import SkipReporter from "./vitest.skips.ts";

export default defineConfig({
  resolve: { alias: neighbours },
  test: {
    name: "reference",
    reporters: ["default", new ProgressReporter(), new SkipReporter()],
    include: [`{packages,apps,tooling}/*/{src,test}/${referenceTests}`],
    // A bench is a dozen daemons: more than one at a time slows all of them down.
    maxWorkers: 1,
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 100_000 } },
    env: { TZ: "UTC" },
  },
});

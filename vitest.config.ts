// The suite `test`: the tests of packages and apps, and those rules of the repository that read nothing but its sources.
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import {
  browserTests,
  machineTests,
  neighbours,
  referenceTests,
  rulesTests,
} from "./vitest.preset.ts";
import ProgressReporter from "./vitest.progress.ts";
import SkipReporter from "./vitest.skips.ts";

export default defineConfig({
  resolve: { alias: neighbours },
  test: {
    include: ["{packages,apps,tooling}/*/{src,test}/**/*.test.ts"],
    exclude: [referenceTests, machineTests, browserTests, rulesTests],
    reporters: ["default", new ProgressReporter(), new SkipReporter()],
    setupFiles: [fileURLToPath(new URL("vitest.setup.ts", import.meta.url))],
    // Far more than any test needs, for machines that have much else to do.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 300_000 } },
    env: { TZ: "UTC" },
    // All files are one project and share the processes that run them, so that each process reads the sources once: with a
    // project for each package, transforming and importing took four times as long.
    // What a test changes for its whole process (folder, environment, globals) it puts back.
    isolate: false,
    // One more than there are cores: many tests wait for programs, clocks and leases.
    maxWorkers: availableParallelism() + 1,
  },
});

// The suite `test:machines`: tests of any package that start QEMU and change interfaces in namespaces of their own.
import { defineConfig } from "vitest/config";
import { machineTests, neighbours } from "./vitest.preset.ts";
import ProgressReporter from "./vitest.progress.ts";
import SkipReporter from "./vitest.skips.ts";

export default defineConfig({
  resolve: { alias: neighbours },
  test: {
    name: "machines",
    reporters: ["default", new ProgressReporter(), new SkipReporter()],
    include: [`{packages,apps,tooling}/*/{src,test}/${machineTests}`],
    // Emulated processors: one machine at a time is fast enough, several are not.
    maxWorkers: 1,
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 100_000 } },
    env: { TZ: "UTC" },
  },
});

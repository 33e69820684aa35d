import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import SkipReporter from "./vitest.skips.ts";

export default defineConfig({
  test: {
    projects: ["{packages,apps,tooling}/*/vitest.config.ts"],
    reporters: ["default", new SkipReporter()],
    // One more than there are cores: many tests wait for programs, clocks and leases.
    maxWorkers: availableParallelism() + 1,
  },
});

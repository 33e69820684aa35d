import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: ["{packages,apps,tooling}/*/vitest.config.ts"],
    // One more than there are cores: many tests wait for programs, clocks and leases.
    maxWorkers: availableParallelism() + 1,
  },
});

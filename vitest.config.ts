import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: ["packages/*", "apps/*", "tooling/*"],
    // One for each core: the default leaves one of them idle, which on two is half the machine.
    maxWorkers: "100%",
  },
});

// The suite `test:rules`: packages as strangers get them, lint, sizes. Needs `pnpm build`.
import { defineConfig } from "vitest/config";
import { neighbours, rulesTests } from "./vitest.preset.ts";
import ProgressReporter from "./vitest.progress.ts";
import SkipReporter from "./vitest.skips.ts";

export default defineConfig({
  resolve: { alias: neighbours },
  test: {
    name: "rules",
    reporters: ["default", new ProgressReporter(), new SkipReporter()],
    include: [`tooling/*/test/${rulesTests}`],
    maxWorkers: 2,
    testTimeout: 600_000,
    hookTimeout: 600_000,
    env: { TZ: "UTC" },
  },
});

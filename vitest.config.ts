// The suite `test`: the tests of packages and programs, and those rules of the repository that read nothing but its sources.
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig, type TestProjectConfiguration } from "vitest/config";
import { useMemoryForFolders } from "./vitest.folders.ts";
import {
  browserTests,
  machineTests,
  neighbours,
  referenceTests,
  rulesTests,
  timersTests,
} from "./vitest.preset.ts";
import ProgressReporter from "./vitest.progress.ts";
import SkipReporter from "./vitest.skips.ts";

useMemoryForFolders();

const settings = {
  // V8's threads beside each worker, and its interpreter before code is warm, take a tenth of the processor time of a run.
  execArgv: ["--single-threaded", "--always-sparkplug"],
  setupFiles: [fileURLToPath(new URL("vitest.setup.ts", import.meta.url))],
  // Far more than any test needs, for machines that have much else to do.
  testTimeout: 600_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: 300_000 } },
  env: { TZ: "UTC" },
};

// Almost all files are one project and share the processes that run them, so that each process reads the sources once: with a
// project for each package, transforming and importing took four times as long.
// What a test changes for its whole process (folder, environment, globals) it puts back.
const shared: TestProjectConfiguration = {
  resolve: { alias: neighbours },
  test: {
    ...settings,
    name: "shared",
    include: ["{packages,apps,tooling}/*/{src,test}/**/*.test.ts"],
    exclude: [referenceTests, machineTests, browserTests, rulesTests, timersTests],
    isolate: false,
  },
};

// A fake clock also drives what other files have left running in a process: files with one, which put the clock back and leave
// nothing, have processes of their own.
const timers: TestProjectConfiguration = {
  resolve: { alias: neighbours },
  test: {
    ...settings,
    name: "timers",
    include: [`{packages,apps,tooling}/*/{src,test}/${timersTests}`],
    isolate: false,
  },
};

export default defineConfig({
  test: {
    projects: [shared, timers],
    reporters: ["default", new ProgressReporter(), new SkipReporter()],
    // One more than there are cores: many tests wait for programs, clocks and leases.
    maxWorkers: availableParallelism() + 1,
  },
});

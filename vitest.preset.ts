// Settings of every package's tests. Neighbours are read from their sources, never from a stale dist.
import { fileURLToPath } from "node:url";
import { defineProject } from "vitest/config";

const packagesFolder = fileURLToPath(new URL("packages/", import.meta.url));
const reference = fileURLToPath(new URL("tooling/reference/src/index.ts", import.meta.url));

/** Where tests find the sources of their neighbours. */
export const neighbours = [
  { find: "@ganeti-ts/reference", replacement: reference },
  { find: /^@ganeti-ts\/([\w-]+)$/, replacement: `${packagesFolder}$1/src/index.ts` },
  { find: /^@ganeti-ts\/([\w-]+)\/([\w-]+)$/, replacement: `${packagesFolder}$1/src/$2.ts` },
];

/** Tests that need Debian's Ganeti and root: a suite of their own, `vitest.reference.ts`. */
export const referenceTests = "**/*.reference.test.ts";

/** Tests that start QEMU and change interfaces, as root: a suite of their own, `vitest.machines.ts`. */
export const machineTests = "**/*.machines.test.ts";

/** Tests of the page in Chromium: a suite of their own, `vitest.browser.ts`. */
export const browserTests = "**/*.browser.test.ts";

/** The test project of one folder; `name` is what `vitest --project` selects. */
export const project = (name: string) =>
  defineProject({
    resolve: { alias: neighbours },
    test: {
      name,
      include: ["src/**/*.test.ts", "test/**/*.test.ts"],
      setupFiles: [fileURLToPath(new URL("vitest.setup.ts", import.meta.url))],
      exclude: [referenceTests, machineTests, browserTests],
      // Far more than any test needs, for machines that have much else to do.
      testTimeout: 600_000,
      hookTimeout: 600_000,
      expect: { poll: { timeout: 300_000 } },
      env: { TZ: "UTC" },
      // Files of a project share workers, so that each reads the sources once: half of all the time.
      // What a test changes for its whole process (folder, environment, globals) it puts back.
      isolate: false,
    },
  });

// Settings that all suites of tests share. Neighbours are read from their sources, never from a stale dist.
import { fileURLToPath } from "node:url";

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

/** Rules that need all packages built, or start the linters: a suite of their own, `vitest.rules.ts`. */
export const rulesTests = "**/*.rules.test.ts";

/** Tests with fake timers, which run in processes of their own. */
export const timersTests = "**/*.timers.test.ts";

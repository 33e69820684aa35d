// What every package's tests share. Neighbours are read from their sources, never from a stale dist.
import { fileURLToPath } from "node:url";
import { defineProject } from "vitest/config";

const packagesFolder = fileURLToPath(new URL("packages/", import.meta.url));

/** The test project of one folder; `name` is what `vitest --project` selects. */
export const project = (name: string) =>
  defineProject({
    resolve: {
      alias: [
        { find: /^@ganeti-ts\/([\w-]+)$/, replacement: `${packagesFolder}$1/src/index.ts` },
        { find: /^@ganeti-ts\/([\w-]+)\/([\w-]+)$/, replacement: `${packagesFolder}$1/src/$2.ts` },
      ],
    },
    test: { name, testTimeout: 20_000, include: ["src/**/*.test.ts", "test/**/*.test.ts"] },
  });

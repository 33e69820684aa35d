// What every package's tests share: neighbours are read from their sources, never from a stale dist.
import { fileURLToPath } from "node:url";
import { defineConfig, type ViteUserConfig } from "vitest/config";

const packagesFolder = fileURLToPath(new URL("packages/", import.meta.url));

export const preset: ViteUserConfig = defineConfig({
  resolve: {
    alias: [{ find: /^@ganeti-ts\/([\w-]+)$/, replacement: `${packagesFolder}$1/src/index.ts` }],
  },
  test: { include: ["src/**/*.test.ts", "test/**/*.test.ts"] },
});

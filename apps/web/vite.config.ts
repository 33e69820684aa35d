// The build of the page: hashed files below /ui/, nothing inline, so that the strict policy of the server holds.
import preact from "@preact/preset-vite";
import { defineConfig } from "vite";

export default defineConfig({
  base: "/ui/",
  // Neighbours from their sources, as in all programs: a stale dist would be built in.
  resolve: { tsconfigPaths: true },
  plugins: [preact()],
  build: { target: "es2022", assetsInlineLimit: 0, modulePreload: { polyfill: false } },
});

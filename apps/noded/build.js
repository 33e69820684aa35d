// Bundles the programs for machines without this repository: dist/single/ganeti-ts-noded.js and the files that it starts
// (import-export.js, ssh-update.js, programs/, os-definitions/, the systemd unit). The folder can be copied anywhere.
//
//   node build.js          that folder, and the manual page
//   node build.js FOLDER   only that folder, elsewhere
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const { name, version } = JSON.parse(readFileSync("package.json", "utf8"));
const [elsewhere] = process.argv.slice(2);
const folder = elsewhere ?? "dist/single";
const programs = ["ganeti-ts-noded", "import-export", "ssh-update"];

/** The schema library has messages in fifty languages; English is enough here. */
const english = {
  name: "english",
  setup: ({ onLoad }) => {
    onLoad({ filter: /zod.v4.locales.index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js";',
    }));
  },
};

await build({
  entryPoints: programs.map((program) => `src/${program}.ts`),
  bundle: true,
  minify: true,
  outdir: folder,
  platform: "node",
  target: "node20",
  format: "esm",
  logLevel: "error",
  plugins: [english],
  banner: {
    js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
  },
});
for (const program of programs) chmodSync(`${folder}/${program}.js`, 0o755);
writeFileSync(`${folder}/package.json`, `${JSON.stringify({ name, version, type: "module" })}\n`);
for (const shared of ["src/programs", "os-definitions", "ganeti-ts-noded.service"]) {
  cpSync(shared, `${folder}/${shared.replace("src/", "")}`, { recursive: true });
}
if (elsewhere === undefined) {
  const { manualPage } = await import("./dist/daemon/manual.js");
  mkdirSync("dist/man");
  writeFileSync("dist/man/ganeti-ts-noded.8", manualPage(version));
}

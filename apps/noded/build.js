// Bundles the programs for machines without this repository: dist/ganeti-ts-noded.js and the files that it starts
// (confd.js, import-export.js, ssh-update.js, programs/, os-definitions/, the systemd unit). The folder can be copied anywhere.
//
//   node build.js          that folder, with the manual page
//   node build.js FOLDER   that folder elsewhere, without the page
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { build } from "esbuild";
import { english } from "../../tooling/english.js";
import { addStarter } from "../../tooling/starter.js";

const { name, version } = JSON.parse(readFileSync("package.json", "utf8"));
const [elsewhere] = process.argv.slice(2);
const folder = elsewhere ?? "dist";
const programs = ["ganeti-ts-noded", "import-export", "ssh-update"];
// Entry points of the daemon's threads.
const threads = ["confd"];

const bundled = {
  bundle: true,
  minify: true,
  platform: "node",
  target: "node20",
  format: "esm",
  logLevel: "error",
  plugins: [english],
};

if (elsewhere === undefined) rmSync(folder, { recursive: true, force: true });
await build({
  ...bundled,
  entryPoints: [...programs, ...threads].map((name) => `src/${name}.ts`),
  outdir: folder,
  banner: {
    js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
  },
});
for (const program of programs) addStarter(`${folder}/${program}.js`);
writeFileSync(`${folder}/package.json`, `${JSON.stringify({ name, version, type: "module" })}\n`);
for (const shared of ["src/programs", "os-definitions", "ganeti-ts-noded.service"]) {
  cpSync(shared, `${folder}/${shared.replace("src/", "")}`, { recursive: true });
}
if (elsewhere === undefined) {
  const { outputFiles } = await build({
    ...bundled,
    entryPoints: ["src/daemon/manual.ts"],
    write: false,
  });
  const module = Buffer.from(outputFiles[0].contents).toString("base64");
  const { manualPage } = await import(`data:text/javascript;base64,${module}`);
  mkdirSync("dist/man");
  writeFileSync("dist/man/ganeti-ts-noded.8", manualPage(version));
}

// The first statements of every program: a Node that is too old is named in one sentence, instead of by the first thing that it
// does not know. All that such a Node reads must be in the language of Node 12.
//
//   node starter.js FILE…   gives each program that is an ES module a starter: FILE, which loads FILE.main.js
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { argv } from "node:process";
import { pathToFileURL } from "node:url";

/**
 * Statements that end a program which this Node cannot run (bundles take Node's modules from `process.getBuiltinModule`), and the
 * handler of the last resort: an error that nothing in the program has expected is one line for the user.
 */
export const preamble = (name) =>
  `var version = process.versions.node.split(".");
if (version[0] < 20 || (version[0] == 20 && version[1] < 19) || !process.getBuiltinModule) {
  console.error("${name} needs Node 20 from 20.19 on, or 22.3 or newer; this is Node " + process.versions.node + ", " + process.execPath);
  process.exit(1);
}
process.on("uncaughtException", function (error) {
  var line = String((error && error.message) || error).split("\\n")[0];
  if (process.env.GANETI_TS_DEBUG === "1") console.error(error);
  else console.error("${name}: " + line + " (unexpected; with GANETI_TS_DEBUG=1 it shows where)");
  process.exit(1);
});`;

/**
 * Moves a program to `NAME.main.js`, and puts a starter in its place with its first line. The imports of an ES module are resolved
 * before its first statement, so that a check inside of it would come too late.
 */
export function addStarter(file) {
  const text = readFileSync(file, "utf8");
  const first = text.slice(0, text.indexOf("\n") + 1);
  if (!first.startsWith("#!")) throw new Error(`${file} does not begin with #!`);
  const name = basename(file, ".js");
  // An empty line in place of the first one, for source maps.
  writeFileSync(file.replace(/\.js$/, ".main.js"), text.replace(first, "\n"));
  writeFileSync(file, `${first}${preamble(name)}\nimport("./${name}.main.js");\n`);
  chmodSync(file, 0o755);
}

/** Starters of the programs `dist/NAME.js` under their names without `.js`: a folder that can be put into PATH. */
export function writeCommands(names) {
  mkdirSync("dist/bin", { recursive: true });
  for (const name of names) {
    const load = `process.argv[1] = require.resolve("../${name}.js");\nrequire(process.argv[1]);\n`;
    writeFileSync(`dist/bin/${name}`, `#!/usr/bin/env node\n${preamble(name)}\n${load}`);
    chmodSync(`dist/bin/${name}`, 0o755);
  }
}

if (import.meta.url === pathToFileURL(argv[1] ?? "").href) argv.slice(2).forEach(addStarter);

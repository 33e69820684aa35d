/**
 * A program for Node as one file that holds its source, what V8 once compiled of it, and the modules
 * that it rarely needs.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { preamble } from "../../tooling/starter.js";
import { engineSettings } from "./engine-settings.js";

/**
 * A file with the source of a program and its compiled code; loading the code instead of compiling saves a
 * fifth of the time of a request. Other versions of Node reject the code and compile the source.
 *
 * Both are stored in comments of functions and read with `String(function)`, because V8 skips comments in
 * a third of the time that strings take. The file uses only a `require` of its own, so it runs as CommonJS
 * and as an ES module, whatever a package.json near a copy says.
 * @param source a function of `require`
 * @param packed modules that the source may require, by name, as returned by `pack`
 */
export function nodeFile(name, source, packed) {
  const needed = [...packed].filter(([module]) => source.includes(`require("${module}")`));
  return [
    "#!/usr/bin/env node",
    preamble(name),
    "const load = process.getBuiltinModule;",
    // Loaded before the settings change: afterwards V8 would compile Node's own modules again.
    'const { Script } = load("node:vm");',
    engineSettings(name),
    `const held = (text) => text.slice(text.indexOf("/*") + 2, -3).replaceAll("${standIn}", "*/");`,
    `function source() {/*${comment(source)}*/}`,
    `function code() {/*${compiled(name, source).toString("base64")}*/}`,
    'const cachedData = Buffer.from(held(String(code)), "base64");',
    `const script = new Script(held(String(source)), { filename: "${name}.js", cachedData });`,
    ...(needed.length === 0 ? ["const find = load;"] : finding(needed)),
    "script.runInThisContext()(find);",
    "",
  ].join("\n");
}

/** A function that gives the exports of a CommonJS module, compressed. */
export function pack(text) {
  const module = `(function(require){const module={exports:{}};${text};return module.exports})`;
  return brotliCompressSync(module).toString("base64");
}

/** Compiled code of the source after typical calls of the program. */
function compiled(name, source) {
  const folder = mkdtempSync(join(tmpdir(), `${name}-code-`));
  try {
    const [sourceFile, codeFile] = [join(folder, "source"), join(folder, "code")];
    writeFileSync(sourceFile, source);
    execFileSync(process.execPath, ["compile.js", name, sourceFile, codeFile]);
    return readFileSync(codeFile);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Finds modules of Node, and those that are packed. */
function finding(modules) {
  return [
    `const packed = { ${modules.map(([name, text]) => `"${name}"() {/*${text}*/}`).join(", ")} };`,
    "const unpack = (name) => {",
    '  const bytes = Buffer.from(held(String(packed[name])), "base64");',
    '  const source = load("node:zlib").brotliDecompressSync(bytes).toString();',
    "  return new Script(source).runInThisContext()(find);",
    "};",
    "const unpacked = {};",
    "const find = (name) => (name in packed ? (unpacked[name] = unpacked[name] || unpack(name)) : load(name));",
  ];
}

/** Replaces the end mark of a comment inside a comment. */
const standIn = "*@/";

function comment(text) {
  if (text.includes(standIn)) throw new Error(`the source holds ${standIn}`);
  return text.replaceAll("*/", standIn);
}

/**
 * A program for Node as one file that holds its source, what V8 once compiled of it, and the modules
 * that it rarely needs.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { engineSettings } from "./engine-settings.js";

/**
 * A file that hands V8 the source and the code it once made of it, which saves compiling a fifth of
 * the time of a request. Another version of Node refuses the code and compiles the source.
 *
 * All of it stands in comments of functions, whose text is asked for: comments are passed over in a
 * third of the time that strings take. With a `require` of its own the file is CommonJS and an ES
 * module alike, so it does not matter what a package.json near a copy says.
 * @param source a function of `require`
 * @param packed by name: what `pack` made of modules that the source may require
 */
export function nodeFile(name, source, packed) {
  const needed = [...packed].filter(([module]) => source.includes(`require("${module}")`));
  return [
    "#!/usr/bin/env node",
    "const load = process.getBuiltinModule;",
    // Before the settings: with others than its own, V8 compiles modules of Node anew.
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

/** What V8 compiles of the source for what the program is called for most. */
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
    "const find = (name) => (name in packed ? (unpacked[name] ??= unpack(name)) : load(name));",
  ];
}

/** Stands in a comment for what would end it. */
const standIn = "*@/";

function comment(text) {
  if (text.includes(standIn)) throw new Error(`the source holds ${standIn}`);
  return text.replaceAll("*/", standIn);
}

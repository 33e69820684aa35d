// Bundles `gnt` and every program of src/programs into one file that runs from any place: dist/NAME.js. Programs with names
// of Debian's Ganeti also get a starter of that name in dist/bin.
//
// A program consists of chunks, each evaluated on first use: a command loads what it needs and
// nothing that only others need. The bundle includes V8's compiled code for typical calls, which
// saves compiling them at each start.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";
import { build, transform } from "esbuild";
import { preamble, writeCommands } from "../../tooling/starter.js";

const ofDebian = readdirSync("src/programs")
  .filter((file) => file.startsWith("gnt-"))
  .map((file) => basename(file, ".ts"))
  .sort();
const programs = ["gnt", ...ofDebian];

/** Entry of a program: its definition, or for `gnt` all of them. */
const entryText = (name) =>
  name === "gnt"
    ? 'import "./src/gnt.js";'
    : `import { main } from "./src/main.js";
       import { program } from "./src/programs/${name}.js";
       main(program);`;

const entries = {
  name: "entries",
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^program:/ }, ({ path }) => ({ path, namespace: "program" }));
    onLoad({ filter: /.*/, namespace: "program" }, ({ path }) => ({
      contents: entryText(path.replace("program:", "")),
      loader: "ts",
      resolveDir: ".",
    }));
  },
};

/**
 * Exports of a package's index, by name: the file that defines each one, and its name there. A
 * chunk contains whole files with all their imports: by way of the index that would be the whole
 * package.
 */
function exportsOf(name) {
  const folder = fileURLToPath(new URL(`../../packages/${name}/src/`, import.meta.url));
  const index = readFileSync(join(folder, "index.ts"), "utf8");
  const found = new Map();
  for (const [, names, file] of index.matchAll(
    /export\s*\{([^}]*)\}\s*from\s*"\.\/([^"]+)\.js"/g,
  )) {
    for (const one of names.split(",")) {
      const [inner, outer = inner] = one.trim().split(/\s+as\s+/);
      if (inner !== "") found.set(outer, { inner, file: join(folder, `${file}.ts`) });
    }
  }
  return found;
}

const packages = new Map();

/** Imports from a package's index as imports from the files that it names. */
const direct = (source) =>
  source.replace(
    /import\s*\{([^}]*)\}\s*from\s*"@ganeti-ts\/([\w-]+)";/g,
    (statement, names, name) => {
      if (!packages.has(name)) packages.set(name, exportsOf(name));
      return names
        .split(",")
        .map((one) => one.trim())
        .filter((one) => one !== "" && !one.startsWith("type "))
        .map((one) => {
          const [outer, local = outer] = one.split(/\s+as\s+/);
          const found = packages.get(name).get(outer);
          if (found === undefined)
            throw new Error(`${name} does not export ${outer}: ${statement}`);
          return `import { ${found.inner} as ${local} } from ${JSON.stringify(found.file)};`;
        })
        .join(" ");
    },
  );

/** Marks schemas as free of side effects, so that unused ones are left out. */
const pure = (source) => source.replace(/\bz\.(?=\w+\()/g, "/* @__PURE__ */ z.");

const sources = {
  name: "sources",
  setup: ({ onLoad }) => {
    // The schema library has messages in fifty languages; English is enough here.
    onLoad({ filter: /zod.v4.locales.index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js";',
    }));
    onLoad({ filter: /(?:apps.gnt|packages.[\w-]+).src.*\.ts$/ }, ({ path }) => {
      const source = direct(readFileSync(path, "utf8"));
      return { contents: path.includes("protocol") ? pure(source) : source, loader: "ts" };
    });
  },
};

/** Chunks by file name, each as the body of a function of `require`, `module` and `exports`, with what it imports. */
async function chunksOf() {
  const { outputFiles, metafile } = await build({
    entryPoints: programs.map((name) => ({ in: `program:${name}`, out: name })),
    bundle: true,
    splitting: true,
    write: false,
    outdir: "dist",
    platform: "node",
    target: "node20",
    format: "esm",
    minify: true,
    metafile: true,
    // yargs measures characters with a table that takes 20 ms to build; it lays out no help here.
    alias: { "string-width": "./src/parsing/plain-width.ts" },
    plugins: [entries, sources],
  });
  const chunks = new Map();
  for (const { path, text } of outputFiles) {
    const name = basename(path);
    const { code } = await transform(text, {
      format: "cjs",
      target: "node20",
      minify: true,
      supported: { "dynamic-import": false },
      define: { "import.meta.url": "__url" },
    });
    const imports = metafile.outputs[`dist/${name}`].imports
      .filter(({ external }) => !external)
      .map((one) => basename(one.path));
    chunks.set(name, { code, imports });
  }
  return chunks;
}

/** Names of the chunks that a program may ever need. */
function reachable(name, chunks) {
  const found = new Set();
  const visit = (chunk) => {
    if (found.has(chunk)) return;
    found.add(chunk);
    for (const one of chunks.get(chunk).imports) visit(one);
  };
  visit(`${name}.js`);
  return [...found];
}

/** An object with a function per chunk. */
const tableOf = (names, chunks) => {
  const members = names.map(
    (chunk) =>
      `${JSON.stringify(`./${chunk}`)}:function(require,module,exports,__url){${chunks.get(chunk).code}}`,
  );
  return `{${members.join(",\n")}}`;
};

/** A function that runs a program, given its file's URL, what requires modules of Node, and what gives further chunks. */
const sourceOf = (name, near, chunks) => `(function(__url,outside,far){
let chunks=${tableOf(near, chunks)};
const made={};
function load(name){
  if(made[name]!==undefined)return made[name].exports;
  if(!name.startsWith("./"))return outside(name);
  if(chunks[name]===undefined)chunks={...far(),...chunks};
  const module=made[name]={exports:{}};
  chunks[name](load,module,module.exports,__url);
  return module.exports;
}
load(${JSON.stringify(`./${name}.js`)});
return made;
})`;

/** A twelfth larger than the best compression, which takes twenty times as long: half of the whole build. */
const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/**
 * A file that passes V8 the source of the chunks of typical calls, and the code compiled from it.
 * Another version of Node rejects the code and compiles the source. All other chunks are compressed
 * until they are used. It takes modules from the process, so that it works as CommonJS and as an ES
 * module.
 */
function programFile(name, chunks) {
  const folder = mkdtempSync(join(tmpdir(), `${name}-code-`));
  const [sourceFile, codeFile, loadedFile] = ["source", "code", "loaded"].map((one) =>
    join(folder, one),
  );
  const compile = (source) => {
    writeFileSync(sourceFile, source);
    execFileSync(process.execPath, ["compile.js", name, sourceFile, codeFile, loadedFile]);
  };
  try {
    const all = reachable(name, chunks);
    compile(sourceOf(name, all, chunks));
    const loaded = JSON.parse(readFileSync(loadedFile, "utf8"));
    const source = sourceOf(name, loaded, chunks);
    compile(source);
    const code = readFileSync(codeFile).toString("base64");
    const rest = all.filter((one) => !loaded.includes(one));
    const packed = brotliCompressSync(`(${tableOf(rest, chunks)})`, fast).toString("base64");
    return `#!/usr/bin/env node
${preamble(name)}
const load = process.getBuiltinModule;
const { Script } = load("node:vm");
const source = ${JSON.stringify(source)};
const cachedData = Buffer.from("${code}", "base64");
const far = () => {
  const packed = Buffer.from("${packed}", "base64");
  const source = load("node:zlib").brotliDecompressSync(packed).toString();
  return new Script(source, { filename: "${name}-more.js" }).runInThisContext();
};
new Script(source, { filename: "${name}.js", cachedData }).runInThisContext()("file:///${name}.js", load, far);
`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

rmSync("dist", { recursive: true, force: true });
mkdirSync("dist");
// Files in dist are CommonJS, which Node starts some milliseconds sooner.
writeFileSync("dist/package.json", '{ "type": "commonjs" }\n');
const chunks = await chunksOf();
for (const name of programs) {
  writeFileSync(`dist/${name}.js`, programFile(name, chunks));
  chmodSync(`dist/${name}.js`, 0o755);
}

writeCommands(ofDebian);

mkdirSync("dist/man");
for (const name of ofDebian) {
  writeFileSync(
    `dist/man/${name}.8`,
    execFileSync(process.execPath, ["dist/gnt.js", "manual", name]),
  );
}

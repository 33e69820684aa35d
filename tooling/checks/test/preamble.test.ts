// First statements of programs: on a Node that is too old, and with errors that nothing expects. Needs a build before it.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { transformSync } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { preamble } from "../../starter.js";
import { manifests, root, run } from "../src/repository.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ganeti-ts-old-node-"));
  // A process of Node 18, as far as programs look at it.
  const versions = '{ ...process.versions, node: "18.20.8" }';
  writeFileSync(
    join(folder, "node18.cjs"),
    `Object.defineProperty(process, "versions", { value: ${versions} }); delete process.getBuiltinModule;\n`,
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

const programs = manifests("apps").flatMap(({ folder: app, manifest }) =>
  Object.values(manifest.bin ?? {}).map((path) => join("apps", app, path)),
);
const commands = ["apps/gnt/dist/bin", "apps/hail/dist/bin"].flatMap((folder) =>
  readdirSync(join(root, folder)).map((name) => join(folder, name)),
);

test.each([...programs, ...commands])(
  "%s says in one sentence that Node is too old, in the language of Node 12",
  (path) => {
    const old = { NODE_OPTIONS: `--require=${join(folder, "node18.cjs")}` };
    const { status, output } = run(join(root, path), ["--version"], folder, old);
    expect(status, output).toBe(1);
    expect(output).toMatch(
      /^[a-z-]+ needs Node 20 from 20\.19 on, or 22\.3 or newer; this is Node 18\.20\.8, \/\S+\n$/,
    );
    const text = readFileSync(join(root, path), "utf8");
    const written = (target: string) => transformSync(text, { target, format: "esm" }).code;
    expect(written("node12.20") === written("esnext")).toBe(true);
  },
);

test.each([
  {
    debug: "0",
    said: /^ganeti-rapi: the sky falls \(unexpected; with GANETI_TS_DEBUG=1 it shows where\)\n$/,
  },
  { debug: "1", said: /^Error: the sky falls\non us\n {4}at / },
])(
  "an error that no program expects is one line, and a stack with GANETI_TS_DEBUG=1: $debug",
  ({ debug, said }) => {
    const preload = join(folder, "falling.cjs");
    // As soon as the program has its handler.
    const when =
      'if (process.listenerCount("uncaughtException") === 0) setTimeout(fall, 1).unref();';
    const text = `(function fall() { ${when} else throw new Error("the sky falls\\non us"); })();\n`;
    writeFileSync(preload, text);
    const env = { NODE_OPTIONS: `--require=${preload}`, GANETI_TS_DEBUG: debug };
    const { status, output } = run(
      join(root, "apps/rapi/dist/ganeti-rapi.js"),
      ["--help"],
      folder,
      env,
    );
    expect(status, output).toBe(1);
    expect(output).toMatch(said);
  },
);

test.each([
  { node: "12.22.12", hasModules: false, isRefused: true },
  { node: "20.18.3", hasModules: true, isRefused: true },
  { node: "20.19.0", hasModules: true, isRefused: false },
  { node: "21.7.3", hasModules: false, isRefused: true },
  { node: "22.2.0", hasModules: false, isRefused: true },
  { node: "22.3.0", hasModules: true, isRefused: false },
  { node: "24.0.0", hasModules: true, isRefused: false },
])("Node $node is refused: $isRefused", ({ node, hasModules, isRefused }) => {
  const said: string[] = [];
  runInNewContext(preamble("gnt"), {
    console: { error: (line: string) => said.push(line) },
    process: {
      versions: { node },
      execPath: "/usr/bin/node",
      getBuiltinModule: hasModules ? () => {} : undefined,
      on: () => {},
      exit: (code: number) => said.push(`exit ${code}`),
    },
  });
  const sentence = "gnt needs Node 20 from 20.19 on, or 22.3 or newer; this is Node";
  expect(said).toEqual(isRefused ? [`${sentence} ${node}, /usr/bin/node`, "exit 1"] : []);
});

// The packages as strangers get them: packed, installed together elsewhere, looked at and used.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { transformSync } from "esbuild";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import type { Example } from "./readme.js";
import { manifests, mustPass, type Outcome, pnpm, root, run, tool } from "./repository.js";

/** One published package. */
export interface Packed {
  /** Where it is in the repository: `packages/htools`. */
  readonly path: string;
  readonly name: string;
  readonly tarball: string;
  readonly isLibrary: boolean;
}

/** Packs what this repository publishes into the folder `destination`. Needs a build before it. */
export function packAll(destination: string): Packed[] {
  const published = (["packages", "apps"] as const).flatMap((kind) =>
    manifests(kind)
      .filter(({ manifest }) => manifest.private !== true)
      .map(({ folder }) => ({ kind, folder })),
  );
  const filters = published.map(({ folder }) => `--filter=@ganeti-ts/${folder}`);
  mustPass(pnpm([...filters, "pack", "--pack-destination", destination], root));
  const files = readdirSync(destination);
  return published.map(({ kind, folder }) => {
    const name = `@ganeti-ts/${folder}`;
    const file = files.find((candidate) => new RegExp(`^ganeti-ts-${folder}-\\d`).test(candidate));
    if (file === undefined) throw new Error(`pnpm packed no tarball named after ${name}`);
    const tarball = join(destination, file);
    return { path: join(kind, folder), name, tarball, isLibrary: kind === "packages" };
  });
}

/** Installs the tarballs together into the empty folder `sandbox`, as one dependency each. */
export function installTogether(packed: readonly Packed[], sandbox: string): void {
  const dependencies = Object.fromEntries(packed.map((one) => [one.name, `file:${one.tarball}`]));
  writeJson(join(sandbox, "package.json"), {
    name: "stranger",
    private: true,
    type: "module",
    dependencies,
    // Packages resolve each other to the packed tarballs, not to what a registry has under the same names.
    pnpm: { overrides: dependencies },
  });
  writeJson(join(sandbox, "tsconfig.json"), {
    compilerOptions: {
      module: "NodeNext",
      target: "ES2023",
      lib: ["ES2023", "DOM"],
      types: [],
      strict: true,
      noEmit: true,
    },
    include: ["examples"],
  });
  mustPass(pnpm(["install", "--prefer-offline", "--ignore-workspace"], sandbox));
}

/** Type errors of all TypeScript `examples` at once, checked against what is installed in `sandbox`. */
export function compileExamples(examples: readonly Example[], sandbox: string): string[] {
  const folder = examplesFolder(sandbox);
  const written = examples.filter(({ language }) => language === "ts");
  written.forEach(({ code }, at) => {
    writeFileSync(join(folder, `example${at}.ts`), code);
  });
  const { status, output } = run(tool("tsc"), ["--project", sandbox, "--pretty", "false"], sandbox);
  const faults = output.split("\n").filter((line) => line !== "");
  return status === 0 ? [] : faults;
}

/** Runs an example inside `sandbox`; one in TypeScript without its types. */
export function runExample({ language, code }: Example, sandbox: string): Outcome {
  const folder = examplesFolder(sandbox);
  if (language === "sh") {
    const path = `${join(sandbox, "node_modules", ".bin")}:${process.env.PATH}`;
    return run("sh", ["-euc", code], folder, { PATH: path });
  }
  const script = language === "ts" ? transformSync(code, { loader: "ts" }).code : code;
  writeFileSync(join(folder, "example.js"), script);
  return run(process.execPath, ["example.js"], folder);
}

function examplesFolder(sandbox: string): string {
  const folder = join(sandbox, "examples");
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Objections of publint, including warnings. */
export async function objections(tarball: string): Promise<string[]> {
  const { buffer } = Uint8Array.from(readFileSync(tarball));
  const { messages, pkg } = await publint({
    pack: { tarball: buffer },
    strict: true,
    level: "error",
  });
  return messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code);
}

/** Problems that attw finds in the types of a library resolved as ES modules, including missing types. */
export async function typeFaults(tarball: string): Promise<string[]> {
  const found = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
  if (found.types === false) return ["there are no types"];
  return found.problems
    .filter((problem) => !("resolutionKind" in problem && notAsModules.has(problem.resolutionKind)))
    .map((problem) => JSON.stringify(problem));
}

/** Resolution modes other than that of ES modules. */
const notAsModules: ReadonlySet<string> = new Set(["node10", "node16-cjs"]);

/** The files of a tarball without its leading `package/`, ordered. */
export const filesIn = (tarball: string) =>
  mustPass(run("tar", ["-tzf", tarball], root))
    .stdout.trim()
    .split("\n")
    .map((path) => path.replace(/^package\//, ""))
    .sort();

/** Unpacks tarballs beside each other, as npm installs them: `folder/@ganeti-ts/htools`. */
export function unpackTogether(packed: readonly Packed[], folder: string): void {
  for (const { name, tarball } of packed) {
    const home = join(folder, name);
    mkdirSync(home, { recursive: true });
    mustPass(run("tar", ["-xzpf", tarball, "-C", home, "--strip-components=1"], root));
  }
}

/**
 * Scripts of an unpacked package, files that begin with `#!`, that may not be executed, and other files that may be.
 * Packing drops the modes of all files but those of `bin` and `publishConfig.executableFiles`.
 */
export const wrongModes = (home: string): string[] =>
  filesBelow(home).filter((file) => {
    const isScript = readFileSync(join(home, file)).subarray(0, 2).toString() === "#!";
    return isScript !== ((statSync(join(home, file)).mode & 0o111) === 0o111);
  });

/** Paths that modules of an unpacked package name relative to themselves, and where nothing is. */
export const missingNeighbours = (home: string): string[] =>
  filesBelow(home)
    .filter((file) => file.endsWith(".js"))
    .flatMap((file) => {
      const text = readFileSync(join(home, file), "utf8");
      return [...text.matchAll(/new URL\("([^"]+)", import\.meta\.url\)/g)]
        .filter(([, path = ""]) => !existsSync(join(home, file, "..", path)))
        .map(([, path]) => `${file}: ${path}`);
    });

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    statSync(join(folder, file)).isFile(),
  );

/** A file inside a tarball, as text. */
export const textIn = (tarball: string, file: string) =>
  mustPass(run("tar", ["-xzOf", tarball, `package/${file}`], root)).stdout;

/** The package.json inside a tarball, as text. */
export const manifestIn = (tarball: string) => textIn(tarball, "package.json");

const writeJson = (path: string, value: unknown) =>
  writeFileSync(path, `${JSON.stringify(value, undefined, 2)}\n`);

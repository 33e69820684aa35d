// The packages as strangers get them: packed, installed together elsewhere, looked at and used.
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { transformSync } from "esbuild";
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
    // What they want of each other is what we packed, not what some registry has.
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

/** Runs an example inside `sandbox`; TypeScript is checked against the installed types first. */
export function runExample(example: Example, sandbox: string): Outcome {
  const { language, code } = example;
  const examples = join(sandbox, "examples");
  mkdirSync(examples, { recursive: true });
  if (language === "sh") {
    const path = `${join(sandbox, "node_modules", ".bin")}:${process.env.PATH}`;
    return run("sh", ["-euc", code], examples, { PATH: path });
  }
  const file = join(examples, `example.${language}`);
  writeFileSync(file, code);
  if (language === "ts") {
    const checked = run(tool("tsc"), ["--project", sandbox], sandbox);
    if (checked.status !== 0) return checked;
    writeFileSync(join(examples, "example.js"), transformSync(code, { loader: "ts" }).code);
  }
  return run(process.execPath, ["example.js"], examples);
}

/** What publint objects to, warnings included; status 0 means nothing. */
export const publint = (tarball: string) => run(ownTool("publint"), ["--strict", tarball], root);

/** What attw finds wrong with the types of a library. */
export const attw = (tarball: string) =>
  run(ownTool("attw"), [tarball, "--profile", "esm-only", "--no-emoji", "--no-color"], root);

/** The files of a tarball without its leading `package/`, ordered. */
export const filesIn = (tarball: string) =>
  mustPass(run("tar", ["-tzf", tarball], root))
    .stdout.trim()
    .split("\n")
    .map((path) => path.replace(/^package\//, ""))
    .sort();

/** The package.json inside a tarball, as text. */
export const manifestIn = (tarball: string) =>
  mustPass(run("tar", ["-xzOf", tarball, "package/package.json"], root)).stdout;

const ownTool = (name: string) => join(root, "tooling", "checks", "node_modules", ".bin", name);

const writeJson = (path: string, value: unknown) =>
  writeFileSync(path, `${JSON.stringify(value, undefined, 2)}\n`);

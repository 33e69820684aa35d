// Reads this repository, and runs its tools.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Manifest } from "./doors.js";
import type { SourceFile } from "./imports.js";

export const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Files that git tracks or would track, ordered by path; binary ones read as garbled text. */
export function trackedFiles(folder = root): SourceFile[] {
  const listed = run("git", ["ls-files", "--cached", "--others", "--exclude-standard"], folder);
  const deleted = run("git", ["ls-files", "--deleted"], folder).stdout.split("\n");
  return mustPass(listed)
    .stdout.split("\n")
    .filter((path) => path !== "" && !deleted.includes(path))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(folder, path), "utf8") }));
}

/** Folder names below packages/ or apps/ with their package.json. */
export function manifests(kind: "packages" | "apps"): { folder: string; manifest: Manifest }[] {
  return readdirSync(join(root, kind))
    .sort()
    .map((folder) => ({
      folder,
      manifest: JSON.parse(readFileSync(join(root, kind, folder, "package.json"), "utf8")),
    }));
}

/** How a program ended; `output` is what it said on stdout, then on stderr. */
export interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly output: string;
}

/** Runs a program to its end, with `env` over the environment of this process. */
export function run(
  program: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Outcome {
  const options = { cwd, encoding: "utf8", env: { ...process.env, ...env } } as const;
  const { status, stdout, stderr, error } = spawnSync(program, args, options);
  if (error !== undefined) throw error;
  return { status, stdout, output: stdout + stderr };
}

/** `outcome` itself, when the program ended well. */
export function mustPass(outcome: Outcome): Outcome {
  if (outcome.status !== 0) throw new Error(`exit ${outcome.status}: ${outcome.output}`);
  return outcome;
}

/** Runs the pinned pnpm, which need not be installed anywhere. */
export function pnpm(args: readonly string[], cwd: string): Outcome {
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return run("npx", ["--yes", packageManager, ...args], cwd);
}

/** A program that the root package.json depends on. */
export const tool = (name: string) => join(root, "node_modules", ".bin", name);

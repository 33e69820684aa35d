/** OS definitions: directories of scripts in the search path. */
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { OsDefinition } from "@ganeti-ts/node-calls";
import type { NodePaths } from "../machine/paths.js";

/** Supported versions of the OS interface, highest first. */
const apiVersions = [20, 15, 10] as const;

/** A definition with the interface version used for its scripts; the version is null if the definition is invalid. */
export interface FoundOs extends OsDefinition {
  readonly effectiveVersion: number | null;
}

/** Base name and variant of an OS name such as `noop+default`. */
export function splitName(name: string): { readonly base: string; readonly variant: string } {
  const at = name.indexOf("+");
  return at === -1
    ? { base: name, variant: "" }
    : { base: name.slice(0, at), variant: name.slice(at + 1) };
}

/** The first directory of that name in the search path; null if there is none. */
export async function findOs(
  { osSearch }: Pick<NodePaths, "osSearch">,
  base: string,
): Promise<FoundOs | null> {
  if (!/^[a-zA-Z0-9_-]+$/.test(base)) return null;
  for (const directory of osSearch) {
    const path = join(directory, base);
    const found = await stat(path).catch(() => null);
    if (found?.isDirectory()) return readDefinition(base, path);
  }
  return null;
}

const nothing = { variants: [], parameters: [], apiVersions: [], trusted: true } as const;

/** Reads and checks the definition in `path`; `fault` explains why one is invalid. */
export async function readDefinition(name: string, path: string): Promise<FoundOs> {
  const invalid = (fault: string, known: Partial<OsDefinition> = {}): FoundOs => ({
    ...{ ...nothing, name, path, valid: false, fault, effectiveVersion: null },
    ...known,
  });
  const versions = await declaredVersions(path);
  if (typeof versions === "string") return invalid(versions);
  const common = apiVersions.filter((version) => versions.includes(version));
  const effectiveVersion = common[0];
  if (effectiveVersion === undefined) {
    const wanted = apiVersions.toReversed().join(", ");
    const fault = `API version mismatch for path '${path}': found [${versions.join(", ")}], want {${wanted}}.`;
    return invalid(fault, { apiVersions: versions });
  }
  const trusted = (await stat(join(path, "create_untrusted")).catch(() => null)) === null;
  const fault = await scriptsFault(path, Math.max(...versions), trusted);
  if (fault !== null) return invalid(fault, { apiVersions: versions, trusted });
  const variants = effectiveVersion >= 15 ? await listOf(path, "variants.list") : [];
  const parameters = effectiveVersion >= 20 ? await listOf(path, "parameters.list") : [];
  for (const [file, lines] of [
    ["variants", variants] as const,
    ["parameters", parameters] as const,
  ]) {
    if (typeof lines !== "string") continue;
    const listPath = join(path, `${file}.list`);
    return invalid(`Error while reading the OS ${file} file at ${listPath}: ${lines}`);
  }
  return {
    ...{ name, path, valid: true, fault: "", trusted, apiVersions: versions, effectiveVersion },
    variants: (variants as readonly string[]).filter(
      (line) => line !== "" && !line.startsWith("#"),
    ),
    parameters: (parameters as readonly string[]).filter((line) => line !== "").map(withHelp),
  };
}

/** Splits a line into the name and the help text, which may be missing. */
export function withHelp(line: string): readonly [string, string] {
  const [, name = "", help = ""] = /^(\S+)\s*(.*)$/.exec(line) ?? [];
  return [name, help];
}

/** Versions declared in the file, or the fault of the file. */
async function declaredVersions(path: string): Promise<readonly number[] | string> {
  const name = "ganeti_api_version";
  const file = join(path, name);
  const found = await stat(file).catch((error: Error) => error);
  if (found instanceof Error) {
    return `Required file '${name}' not found under path ${path}: ${found.message}`;
  }
  if (!found.isFile()) return `File '${name}' in ${path} is not a regular file`;
  const text = await readFile(file, "utf8").catch((error: Error) => error);
  if (text instanceof Error) {
    return `Error while reading the API version file at ${file}: ${text.message}`;
  }
  const lines = text.split("\n").map((line) => line.trim());
  const words = lines.filter((line) => line !== "");
  const wrong = words.find((line) => !/^-?\d+$/.test(line));
  return wrong === undefined
    ? words.map(Number)
    : `API version(s) can't be converted to integer: '${wrong}'`;
}

/** The fault of the first script that a definition of this version lacks; null if it has all. */
async function scriptsFault(
  path: string,
  version: number,
  trusted: boolean,
): Promise<string | null> {
  const create = trusted ? ["create"] : ["create_untrusted"];
  const verify = version >= 20 ? ["verify"] : [];
  for (const name of ["import", "export", "rename", ...verify]) {
    const fault = await scriptFault(path, name);
    if (fault !== null) return fault;
  }
  for (const name of create) {
    const isMissing = (await stat(join(path, name)).catch(() => null)) === null;
    if (isMissing) return `A create script (trusted or untrusted) under path '${path}' must exist`;
    const fault = await scriptFault(path, name);
    if (fault !== null) return fault;
  }
  return null;
}

/** Why the file is not an executable script, judged by its owner's permission; null if it is. */
export async function scriptFault(path: string, name: string): Promise<string | null> {
  const found = await stat(join(path, name)).catch((error: Error) => error);
  if (found instanceof Error) {
    return `File '${name}' under path '${path}' is missing (${found.message})`;
  }
  if (!found.isFile()) return `File '${name}' under path '${path}' is not a regular file`;
  return (found.mode & 0o100) === 0
    ? `File '${name}' under path '${path}' is not executable`
    : null;
}

/** Trimmed lines of an optional list file; the text of the error if it cannot be read. */
export async function listOf(path: string, name: string): Promise<readonly string[] | string> {
  try {
    const text = await readFile(join(path, name), "utf8");
    return text.split("\n").map((line) => line.trim());
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? [] : (error as Error).message;
  }
}

// Machine-specific paths and registries, which must not be committed.
import type { SourceFile } from "./imports.js";

const machineFolders = ["work", "root", "farm"];

/**
 * Lines of `files` that name a folder of some machine or a registry host, as `path:line: text`.
 *
 * `registryHost` is the one in use here; hosts that call themselves registry are found as well.
 */
export function machinePlaces(files: readonly SourceFile[], registryHost: string): string[] {
  const folder = new RegExp(`(?<![\\w.@~-])/(?:${machineFolders.join("|")})(?![\\w-])`);
  const registry = /\bregistry\.[a-z0-9-]+\.[a-z]+/;
  return files.flatMap(({ path, text }) =>
    text.split("\n").flatMap((line, index) => {
      const named = folder.test(line) || registry.test(line) || line.includes(registryHost);
      return named ? [`${path}:${index + 1}: ${line.trim()}`] : [];
    }),
  );
}

/** hail as a program: its name, version, options and examples. */
import manifest from "../package.json" with { type: "json" };
import type { Program } from "./command-line.js";
import { examples, extensions, options } from "./options.js";
import type { Settings } from "./settings.js";

/**
 * The first line is that of the Ganeti whose answers are given: programs look at it. The second says
 * what really runs.
 */
function versionText(): string {
  const { bun, node } = process.versions;
  return `(ganeti) version 3.0.2-3
ganeti-ts ${manifest.version} on ${bun ? `bun ${bun}` : `node ${node}`}
running on ${process.platform} ${process.arch === "x64" ? "x86_64" : process.arch}`;
}

export const hail: Program<Settings> = {
  name: "hail",
  version: versionText(),
  options,
  extensions,
  examples,
  operands: "file 1 1",
};

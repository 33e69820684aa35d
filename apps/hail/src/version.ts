/** Output of `--version`, the same for every program. */
import manifest from "../package.json" with { type: "json" };

/** The Ganeti version whose answers are given; part of the comments and reasons of jobs. */
export const ganetiVersion = "(ganeti) version 3.0.2-3";

/**
 * The first line is that of the Ganeti version whose answers are given, because programs parse it. The second
 * line names our own version.
 */
export const version = versionText();

function versionText(): string {
  const { bun, node } = process.versions;
  return `${ganetiVersion}
ganeti-ts ${manifest.version} on ${bun ? `bun ${bun}` : `node ${node}`}
running on ${process.platform} ${process.arch === "x64" ? "x86_64" : process.arch}`;
}

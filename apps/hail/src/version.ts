/** What `--version` tells of every program. */
import manifest from "../package.json" with { type: "json" };

/** The Ganeti whose answers are given; jobs carry it in their comments and reasons. */
export const ganetiVersion = "(ganeti) version 3.0.2-3";

/**
 * The first line is that of the Ganeti whose answers are given: programs look at it. The second says
 * what really runs.
 */
export const version = versionText();

function versionText(): string {
  const { bun, node } = process.versions;
  return `${ganetiVersion}
ganeti-ts ${manifest.version} on ${bun ? `bun ${bun}` : `node ${node}`}
running on ${process.platform} ${process.arch === "x64" ? "x86_64" : process.arch}`;
}

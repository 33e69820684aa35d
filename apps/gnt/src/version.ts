/** What `--version` tells of every program: that of the Ganeti whose commands these are, then our own. */
import manifest from "../package.json" with { type: "json" };

export const { version } = manifest;

export const versionLines = (program: string): string[] => [
  `${program} (ganeti 3.0.2-3) 3.0.2`,
  `ganeti-ts ${version} on node ${process.versions.node}`,
];

/** Versions for `--version`: that of the reproduced Ganeti, and our own. */
import manifest from "../package.json" with { type: "json" };

export const { version } = manifest;

export const versionLines = (program: string): string[] => [
  `${program} (ganeti 3.0.2-3) 3.0.2`,
  `ganeti-ts ${version} on node ${process.versions.node}`,
];

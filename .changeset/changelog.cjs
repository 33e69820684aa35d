// CHANGELOGs for people who upgrade: texts of changesets without commit hashes, and one line for all dependencies.

/** A changeset: its first line as an item, further lines below it. */
async function getReleaseLine({ summary }) {
  const [first, ...rest] = summary.trim().split("\n");
  return [`- ${first}`, ...rest.map((line) => (line === "" ? "" : `  ${line}`))].join("\n");
}

/** Neighbours that were released together. */
async function getDependencyReleaseLine(_changesets, dependencies) {
  if (dependencies.length === 0) return "";
  const names = dependencies.map(({ name, newVersion }) => `${name} ${newVersion}`);
  return `- Works with ${names.join(", ")}`;
}

module.exports = { getReleaseLine, getDependencyReleaseLine };

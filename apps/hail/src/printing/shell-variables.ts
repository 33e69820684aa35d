/** Results as shell variables, for scripts (`--machine-readable`). */

/** One line `PREFIX_KEY=value` per pair; values with characters special to a shell are quoted. */
export const shellVariables = (
  prefix: string,
  pairs: readonly (readonly [key: string, value: string | number])[],
): string =>
  pairs
    .map(([key, value]) => `${prefix}_${key.toUpperCase()}=${quotedForShell(String(value))}\n`)
    .join("");

/** Letters of any script, digits and dots need no quotes. Source: Ganeti, Utils.hs, `ensureQuoted`. */
function quotedForShell(text: string): string {
  return /^[\p{L}\p{N}\p{M}.]*$/u.test(text) ? text : `'${text}'`;
}

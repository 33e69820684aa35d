/** Names by which an operating system can be requested. */

/** `debian+stable`, `debian+testing`; without variants only `debian`. */
export const osNames = (
  listed: readonly (readonly [name: string, variants: readonly string[]])[],
): string[] =>
  listed.flatMap(([name, variants]) =>
    variants.length === 0 ? [name] : variants.map((variant) => `${name}+${variant}`),
  );

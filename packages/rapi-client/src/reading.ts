/** Options and paths common to reading calls. */

/** Options of every call that only reads. */
export interface Reading {
  readonly signal?: AbortSignal;
}

/** The path of the object called `name`. */
export const nameIn = (collection: string, name: string): string =>
  `${collection}/${encodeURIComponent(name)}`;

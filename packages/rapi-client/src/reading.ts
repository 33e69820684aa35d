/** What reading calls have in common. */

/** Options of every call that only reads. */
export interface Reading {
  readonly signal?: AbortSignal;
}

/** The path of the thing called `name`. */
export const nameIn = (collection: string, name: string): string =>
  `${collection}/${encodeURIComponent(name)}`;

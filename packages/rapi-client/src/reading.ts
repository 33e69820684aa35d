/** Options and paths common to reading calls. */

/** Options of every call that only reads. */
export interface Reading {
  readonly signal?: AbortSignal;
}

/** Paths of the objects of a collection: of the one called `name`, or of a resource below it (`/modify`). */
export const pathsOf =
  (collection: string) =>
  (name: string, below = ""): string =>
    `${collection}/${encodeURIComponent(name)}${below}`;

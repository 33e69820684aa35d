/** The shape of one call: what it is given, and what it gives. */
export interface Call<Arguments, Value> {
  readonly arguments: Arguments;
  readonly value: Value;
}

// biome-ignore lint/complexity/noBannedTypes: an object without keys is what is meant
export type Nothing = {};

/** The value of a call that only does something. */
export type Done = null;

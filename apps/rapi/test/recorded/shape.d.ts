/** The type of a scalar, null, the shape of a list's items, or of each key. */
export type Shape =
  | string
  | null
  | readonly [Shape]
  | readonly []
  | { readonly [key: string]: Shape };

export function shapeOf(value: unknown): Shape;

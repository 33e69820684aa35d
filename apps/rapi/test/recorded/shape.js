/**
 * The type of a scalar, null, the shape of a list's items, or that of each key.
 * @typedef {string | null | Shape[] | { [key: string]: Shape }} Shape
 */

/**
 * Shape of a JSON value: types in place of values. A list has the shape of its items, which is that of
 * all of them together; null together with another type is that type.
 * @param {unknown} value
 * @returns {Shape}
 */
export function shapeOf(value) {
  if (value === null) return null;
  if (Array.isArray(value)) return [value.map(shapeOf).reduce(merged, null)];
  if (typeof value === "object") return mapped(value, shapeOf);
  return typeof value;
}

/**
 * @param {Shape} a
 * @param {Shape} b
 * @returns {Shape}
 */
function merged(a, b) {
  if (a === null || b === null) return a ?? b;
  if (Array.isArray(a) && Array.isArray(b)) return [merged(a[0] ?? null, b[0] ?? null)];
  if (isKeyed(a) && isKeyed(b)) {
    return mapped({ ...a, ...b }, (_, key) => merged(a[key] ?? null, b[key] ?? null));
  }
  return a === b ? a : "any";
}

/**
 * @param {Shape} shape
 * @returns {shape is { [key: string]: Shape }}
 */
export const isKeyed = (shape) =>
  shape !== null && typeof shape === "object" && !Array.isArray(shape);

/**
 * @param {object} object
 * @param {(value: unknown, key: string) => Shape} change
 */
const mapped = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));

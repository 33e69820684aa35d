/**
 * What a JSON value is like: types in place of values. Of a list the shape of its items, which is that of
 * all of them together; null beside another type is that type.
 */
export function shapeOf(value) {
  if (value === null) return null;
  if (Array.isArray(value)) return [value.map(shapeOf).reduce(merged, null)];
  if (typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shapeOf(one)]));
  }
  return typeof value;
}

function merged(a, b) {
  if (a === null || b === null) return a ?? b;
  if (Array.isArray(a) && Array.isArray(b)) return [merged(a[0], b[0])];
  if (typeof a === "object" && typeof b === "object" && !Array.isArray(a) && !Array.isArray(b)) {
    const all = { ...a, ...b };
    return Object.fromEntries(
      Object.keys(all).map((key) => [key, merged(a[key] ?? null, b[key] ?? null)]),
    );
  }
  return JSON.stringify(a) === JSON.stringify(b) ? a : "any";
}

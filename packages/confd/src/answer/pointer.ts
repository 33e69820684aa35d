/** JSON pointers (RFC 6901) into the view of a configuration. */
import { Entries } from "../wire/value-text.js";

/** Parts of a JSON pointer. Undefined if the text is not one; as in Ganeti, it cannot point at the whole document. */
export function readPointer(text: string): readonly string[] | undefined {
  if (!text.startsWith("/") || /~(?![01])/.test(text)) return undefined;
  return text
    .slice(1)
    .split("/")
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Value at the end of the path, undefined if there is none. O(length of the path) steps. */
export function valueAt(value: unknown, [token, ...rest]: readonly string[]): unknown {
  if (token === undefined || value === undefined) return value;
  return valueAt(childOf(value, token), rest);
}

function childOf(value: unknown, token: string): unknown {
  if (value instanceof Entries) return value.get(token);
  if (Array.isArray(value)) return /^(0|[1-9]\d*)$/.test(token) ? value[Number(token)] : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  return Object.hasOwn(value, token) ? (value as Record<string, unknown>)[token] : undefined;
}

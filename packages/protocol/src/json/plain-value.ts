/** Conversion of a scanned value to a JavaScript value, for small values whose order does not matter. */
import type { JsonDocument } from "./json-document.js";

/** If keys repeat, the first counts; integers are rounded as in Ganeti. */
export function plainValue(document: JsonDocument, value: number): unknown {
  switch (document.kind(value)) {
    case "null":
      return null;
    case "boolean":
      return document.boolean(value);
    case "number":
      return document.double(value);
    case "string":
      return document.string(value);
    case "array":
      return document.items(value).map((item) => plainValue(document, item));
    case "object": {
      const members = new Map<string, unknown>();
      const end = document.end(value);
      for (let key = document.first(value); key < end; key = document.after(key + 1)) {
        const name = document.string(key);
        if (!members.has(name)) members.set(name, plainValue(document, key + 1));
      }
      return Object.fromEntries(members);
    }
  }
}

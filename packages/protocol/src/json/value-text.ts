/** Parsed JSON values in the notation of Ganeti's error texts. */

/** Notation with a blank after colons and commas, on one line. */
export function spacedJson(value: unknown): string {
  return jsonText(value, ", ", ": ");
}

/** Notation without blanks, as on the wire. */
export function compactJson(value: unknown): string {
  return jsonText(value, ",", ":");
}

function jsonText(value: unknown, comma: string, colon: string): string {
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) {
    return `[${value.map((item) => jsonText(item, comma, colon)).join(comma)}]`;
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(
      ([key, item]) => JSON.stringify(key) + colon + jsonText(item, comma, colon),
    );
    return `{${entries.join(comma)}}`;
  }
  return JSON.stringify(value) ?? String(value);
}

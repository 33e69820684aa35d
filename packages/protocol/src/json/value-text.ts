/** JavaScript values that came from JSON, as Ganeti's error texts show them. */

/** As error texts quote a value: a blank behind colons and commas, all on one line. */
export function spacedJson(value: unknown): string {
  return jsonText(value, ", ", ": ");
}

/** As error texts quote a value where they show it as it travels: no blanks. */
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

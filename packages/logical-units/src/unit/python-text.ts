/** Values as Python prints them, which is how results show what has changed: `{'ovs': False}`. */
import { isJsonObject, type Json } from "@ganeti-ts/protocol";

export function pythonText(value: Json): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return quoted(value);
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(pythonText).join(", ")}]`;
  if (!isJsonObject(value)) return String(value);
  const entries = Object.entries(value);
  return `{${entries.map(([key, one]) => `${quoted(key)}: ${pythonText(one)}`).join(", ")}}`;
}

/** Double quotes where that spares escaping. */
function quoted(text: string): string {
  const escaped = text.replaceAll("\\", "\\\\");
  if (!text.includes("'")) return `'${escaped}'`;
  return text.includes('"') ? `'${escaped.replaceAll("'", "\\'")}'` : `"${escaped}"`;
}

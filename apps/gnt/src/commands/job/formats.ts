/** Formats of job fields. */
import type { Json } from "@ganeti-ts/protocol";
import { pythonLiteral } from "@ganeti-ts/protocol";
import type { Format } from "../../table.js";
import { timeText } from "../../time-text.js";

/** `[seconds, microseconds]` as text, including the microseconds. */
export function timestampText(value: Json): string {
  if (!Array.isArray(value) || value.length !== 2) return "?";
  const [seconds, micros] = value;
  return typeof seconds === "number" && typeof micros === "number"
    ? timeText(seconds, micros)
    : "N/A";
}

const times: Format = {
  text: (value) => pythonLiteral((value as readonly Json[]).map(timestampText)),
};

export const jobFormats: Readonly<Record<string, Format>> = {
  summary: { text: (value) => (value as readonly string[]).join(",") },
  opstart: times,
  opexec: times,
  opend: times,
};

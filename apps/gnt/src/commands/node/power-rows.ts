/** Rows for the answers of out-of-band helpers, node by node. */
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import type { Invocation } from "../../invocation.js";
import { plainTable } from "../../plain-table.js";
import { styleOf } from "../../table.js";

/** Answer for one node: `[[status, name], [status, data]]`. */
export type PowerAnswer = readonly [
  readonly [number, string],
  readonly [status: number, data: Json],
];

export interface PowerRows {
  readonly rows: readonly (readonly [node: string, text: string])[];
  /** Number of nodes without an answer. */
  readonly faultCount: number;
}

const statusTexts = ["", "(unknown)", "(nodata)", "(unavail)", "(offline)"];

/** `words` returns the lines of one node's data; lines after the first appear without its name. */
export function powerRows(
  answers: readonly PowerAnswer[],
  words: (data: Json) => readonly string[],
): PowerRows {
  const rows = answers.flatMap(([[, name], [status, data]]) =>
    (status === 0 ? words(data) : [statusTexts[status] ?? `(${status})`]).map(
      (text, at) => [at === 0 ? name : "", text] as const,
    ),
  );
  return { rows, faultCount: answers.filter(([, [status]]) => status !== 0).length };
}

/** For `power status`; other commands only report that they were passed on. */
export const powerWords =
  (command: string) =>
  (data: Json): readonly string[] => {
    if (command !== "status") return ["invoked"];
    return [(data as JsonObject).powered ? "powered" : "unpowered"];
  };

export const healthWords = (data: Json): readonly string[] =>
  (data as readonly (readonly [string, string])[]).map(([item, state]) => `${item}=${state}`);

/** Prints the table; code 1 if a node did not answer. */
export function printPower({ out, options }: Invocation, { rows, faultCount }: PowerRows): 0 | 1 {
  const lines = plainTable(["Node", "Status"], rows, styleOf(options));
  for (const line of lines) out.line(line);
  out.document(rows.map(([node, status]) => ({ node, status })));
  return faultCount > 0 ? 1 : 0;
}

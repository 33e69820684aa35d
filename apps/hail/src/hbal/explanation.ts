/** Explanation of a step: the score terms it improves and those it worsens. */
import { formatFixed } from "@ganeti-ts/htools";
import { alignedRows, painter, type Row } from "../printing/paint.js";
import type { TermChange } from "./solution.js";

/** Lines printed below a step: weighted terms before and after, and the difference. */
export function termLines(terms: readonly TermChange[], colour: boolean): string {
  const rows = terms.map(({ name, before, after }): Row => {
    const change = after - before;
    const figures = [formatFixed(before, 8), "->", formatFixed(after, 8), signed(change)];
    return { cells: ["      ", name, ...figures], style: change < 0 ? "good" : "bad" };
  });
  return alignedRows(rows, "llrlrr", painter(colour))
    .map((line) => `${line}\n`)
    .join("");
}

const signed = (change: number): string => `${change > 0 ? "+" : ""}${formatFixed(change, 8)}`;

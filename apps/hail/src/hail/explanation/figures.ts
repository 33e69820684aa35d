/** Figures as hail prints them. */
import { formatFixed } from "@ganeti-ts/htools";
import type { Figure, LostAllocations, Score } from "@ganeti-ts/protocol";

/** Numbers that JSON cannot express are shown by name. */
export const figureText = (figure: Figure | undefined): string =>
  typeof figure === "number" ? formatFixed(figure, 8) : (figure ?? "");

/** The figure with its sign; empty for zero. */
export function differenceText(figure: number): string {
  if (figure === 0) return "";
  return `${figure < 0 ? "-" : "+"}${figureText(Math.abs(figure))}`;
}

export interface Measured {
  readonly score?: Score | undefined;
  readonly lostAllocations?: LostAllocations | undefined;
}

export function measureText({ score, lostAllocations }: Measured): string {
  if (score !== undefined) return figureText(score.total);
  return lostAllocations
    ? `([${lostAllocations.lost.join(",")}],${lostAllocations.diskFreeMib})`
    : "";
}

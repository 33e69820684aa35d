/** Refusals as a table: grouped by node, role and reason, the smallest shortage first. */
import type { CandidateField, Refusal } from "@ganeti-ts/protocol";
import { alignedRows, indented, type Paint, type Row, wrapped } from "../../printing/paint.js";
import { placeName } from "./names.js";

const shownMax = 12;
const textWidth = 96;

interface Refused {
  readonly refusal: Refusal;
  /** Number of candidates it rules out, as far as known. */
  count: number;
  /** Names of the places if the node's role is not enough to identify them. */
  readonly places: string[];
}

export function refusalLines(field: CandidateField, paint: Paint): string[] {
  const refused = collected(field).sort((a, b) => shortage(a.refusal) - shortage(b.refusal));
  if (refused.length === 0) return [];
  const shown = refused.slice(0, shownMax);
  const stuck = shown.filter(({ refusal }) => refusal.rule === "FailN1");
  const others = shown.filter(({ refusal }) => refusal.rule !== "FailN1");
  const rows = others.map(({ refusal, count, places }): Row => {
    const { node, role, rule, step } = refusal;
    const words = wordsOf(refusal) + (step ? ` (${step.toLowerCase()})` : "");
    const pair = places.length > 0 ? ` (only ${places.join(", ")})` : "";
    return { cells: [node, role ?? "any role", rule, String(count), `${words}${pair}`] };
  });
  const header: Row = {
    cells: ["refused", "as", "rule", "rules out", "because"],
    style: "quiet",
  };
  const left = refused.length - shown.length;
  return [
    ...(rows.length > 0
      ? ["", ...indented(3, alignedRows([header, ...rows], "lllrl", paint))]
      : []),
    ...stuck.flatMap((one) => ["", ...stuckLines(one, paint)]),
    ...(left > 0 ? [paint("quiet", `   … and ${left} more reasons`)] : []),
  ];
}

/** Text of a refusal, without node and rule. */
const wordsOf = ({ node, rule, text }: Refusal): string =>
  text.slice(node.length + rule.length + 4);

/** An N+1 refusal needs a sentence: which node could not be evacuated, and why. */
function stuckLines({ refusal, count, places }: Refused, paint: Paint): string[] {
  const which = places.slice(0, 3).join(", ") + (places.length > 3 ? ", …" : "");
  const many = count === 1 ? `${which} fails N+1` : `${count} candidates fail N+1 (${which})`;
  const [first = "", ...rest] = wrapped(`${many}: ${refusal.node} ${wordsOf(refusal)}`, textWidth);
  return indented(3, [first, ...indented(2, rest)]).map((line) => paint("bad", line));
}

/** The verdicts on nodes, then listed candidates that the verdicts do not explain. */
function collected({ nodes, refusals }: CandidateField): Refused[] {
  const byText = new Map<string, Refused>();
  for (const { primary, secondary } of nodes) {
    for (const verdict of [primary, secondary]) {
      if (verdict == null || verdict.refusal === null || verdict.candidates === 0) continue;
      const { refusal, candidates } = verdict;
      byText.set(keyOf(refusal), { refusal, count: candidates, places: [] });
    }
  }
  const known = new Set(byText.keys());
  for (const { nodes: place, refusal } of refusals) {
    const key = keyOf(refusal);
    if (known.has(key)) continue;
    const one = byText.get(key) ?? { refusal, count: 0, places: [] };
    one.count++;
    one.places.push(placeName(place));
    byText.set(key, one);
  }
  return [...byText.values()];
}

const keyOf = ({ role, step, text }: Refusal): string => `${role} ${step} ${text}`;

/** Shortage as a fraction of the limit; refusals without a measured value sort last. */
function shortage({ rule, value, limit }: Refusal): number {
  if (rule === "FailN1") return -1;
  if (typeof value !== "number" || typeof limit !== "number") return Number.MAX_VALUE;
  return Math.abs(value - limit) / Math.max(1, Math.abs(limit));
}

/** Section of an explanation about locations: node groups and their candidates. */
import type {
  CandidateField,
  Choice,
  GroupExplanation,
  MoveExplanation,
  NodeLeftOut,
} from "@ganeti-ts/protocol";
import { alignedRows, indented, type Paint, type Row, wrapped } from "../../printing/paint.js";
import { differenceText, measureText } from "./figures.js";
import { placeName } from "./names.js";
import { refusalLines } from "./refusal-lines.js";

/** Maximum number of candidates shown; the JSON form has more. */
const shownMax = 10;

export function groupLines(
  { group, policy, reason, leftOut, field }: GroupExplanation,
  choice: Choice | null,
  paint: Paint,
): string[] {
  const won = choice?.group === group;
  const why = reason === null ? "" : `: ${reason}`;
  const title = paint("heading", `Group ${group}`);
  return [
    `${title} (${policy})${why}`,
    ...(field ? fieldLines(field, won ? choice : null, paint) : []),
    ...leftOutLines(leftOut, paint),
  ];
}

const kinds: Readonly<Record<MoveExplanation["kind"], string>> = {
  failover: "Failover to the secondary",
  move: "Move to another node",
  "replace-secondary": "Another secondary",
  "replace-both": "Another primary and secondary",
};

export const moveLines = (
  { group, kind, leftOut, field }: MoveExplanation,
  choice: Choice | null,
  paint: Paint,
): string[] => [
  `${paint("heading", kinds[kind])}, in group ${group}`,
  ...fieldLines(field, choice, paint),
  ...leftOutLines(leftOut, paint),
];

function leftOutLines(leftOut: readonly NodeLeftOut[], paint: Paint): string[] {
  if (leftOut.length === 0) return [];
  const shown = leftOut.slice(0, shownMax).map(({ node, reason }) => `${node} (${reason})`);
  const more = leftOut.length > shown.length ? ` and ${leftOut.length - shown.length} more` : "";
  const lines = wrapped(`no candidates: ${shown.join(", ")}${more}`, 96);
  return indented(2, lines).map((line) => paint("quiet", line));
}

function fieldLines(field: CandidateField, choice: Choice | null, paint: Paint): string[] {
  const { feasible, refused, refusedBy } = field;
  const total = feasible + refused;
  const all = total === 1 ? "1 candidate" : `${total} candidates`;
  const rules = Object.entries(refusedBy).map(([rule, count]) => `${rule}: ${count}`);
  const reasons = rules.length > 0 ? ` (${rules.join(", ")})` : "";
  return indented(2, [
    `${all}: ${feasible} possible, ${refused} refused${reasons}`,
    ...candidateLines(field, choice, paint),
    ...refusalLines(field, paint),
  ]);
}

function candidateLines(field: CandidateField, choice: Choice | null, paint: Paint): string[] {
  const shown = field.candidates.slice(0, shownMax);
  const [best] = shown;
  if (best === undefined) return [];
  const winner = choice && placeName(choice.nodes);
  const pairs = best.nodes.length > 1;
  const tested = shown.some(({ capacity }) => capacity !== "off");
  const rows: Row[] = shown.map((one) => {
    const { nodes, score, capacity } = one;
    const name = placeName(nodes);
    const worse =
      typeof score?.total === "number" && typeof best.score?.total === "number"
        ? differenceText(score.total - best.score.total)
        : "";
    const cells = [
      name === winner ? "*" : "",
      name,
      measureText(one),
      worse,
      tested ? capacity : "",
    ];
    return name === winner ? { cells, style: "good" } : { cells };
  });
  const header = [
    "",
    pairs ? "primary/secondary" : "node",
    best.score ? "score" : "lost allocations",
    "",
    tested ? "N+1" : "",
  ];
  const more = field.feasible - shown.length;
  return [
    ...alignedRows([{ cells: header, style: "quiet" }, ...rows], "llrrl", paint),
    ...(more > 0 ? [paint("quiet", `   … and ${more} more, none of them better`)] : []),
  ];
}

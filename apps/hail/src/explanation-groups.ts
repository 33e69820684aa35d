/** The part of an explanation that is about places: groups, their nodes, their candidates. */
import { formatFixed } from "@ganeti-ts/htools";
import type {
  Candidate,
  CandidateField,
  GroupExplanation,
  MoveExplanation,
  Score,
} from "@ganeti-ts/protocol";
import { tableText } from "./table.js";

/** So many nodes and candidates of a kind are shown; the JSON form has more. */
const shownMax = 10;
/** So many candidates are taken apart by term. */
const comparedMax = 3;

export const placeName = (nodes: readonly string[]): string => nodes.join("/");

/** `winner` is marked among the candidates. */
export function groupLines(
  { group, policy, reason, field }: GroupExplanation,
  winner: readonly string[] | undefined,
): string[] {
  const why = reason === null ? "" : `: ${reason}`;
  return [`  group ${group} (${policy})${why}`, ...(field ? fieldLines(field, winner) : [])];
}

export function moveLines(
  { group, kind, field }: MoveExplanation,
  winner: readonly string[] | undefined,
): string[] {
  return [`  ${kind.replace("-", " ")}, in group ${group}`, ...fieldLines(field, winner)];
}

function fieldLines(field: CandidateField, winner: readonly string[] | undefined): string[] {
  const refusedBy = Object.entries(field.refusedBy).map(([rule, count]) => `${rule}: ${count}`);
  const refused = refusedBy.length > 0 ? ` (${refusedBy.join(", ")})` : "";
  const nodes = nodeLines(field);
  return [
    `    ${candidateCount(field.feasible)} can take it, ${field.refused} cannot${refused}`,
    ...candidateLines(field, winner),
    ...termLines(field),
    ...nodes,
    ...refusalLines(field, nodes),
  ];
}

function candidateLines(field: CandidateField, winner: readonly string[] | undefined): string[] {
  const shown = field.candidates.slice(0, shownMax);
  if (shown.length === 0) return [];
  const isWinner = ({ nodes }: Candidate) => winner && placeName(nodes) === placeName(winner);
  const table = tableText(
    [
      { header: "", numeric: false, cells: shown.map((each) => (isWinner(each) ? "*" : " ")) },
      { header: "best first", numeric: false, cells: shown.map(({ nodes }) => placeName(nodes)) },
      { header: "score", numeric: true, cells: shown.map(measureText) },
      { header: "N+1", numeric: false, cells: shown.map(({ capacity }) => capacity) },
    ],
    shown.length,
  );
  return [...indented(table), ...omitted(field.feasible - shown.length)];
}

/** The score of the best candidates by term, beside that of the nodes as they are. */
function termLines({ scoreBefore, candidates }: CandidateField): string[] {
  const compared = candidates.slice(0, comparedMax).filter(({ score }) => score !== undefined);
  if (scoreBefore === undefined || compared.length === 0) return [];
  const scores = [scoreBefore, ...compared.map(({ score }) => score as Score)];
  const terms = (Object.keys(scoreBefore.terms) as (keyof Score["terms"])[]).filter((term) =>
    scores.some((score) => score.terms[term] !== 0),
  );
  const headers = ["before", ...compared.map(({ nodes }) => placeName(nodes))];
  const table = tableText(
    [
      { header: "by term", numeric: false, cells: [...terms, "score"] },
      ...scores.map((score, column) => ({
        header: headers[column] as string,
        numeric: true,
        cells: [...terms.map((term) => figureText(score.terms[term])), figureText(score.total)],
      })),
    ],
    terms.length + 1,
  );
  return indented(table);
}

/** First the nodes that can have a role, then who refuses which, and why. */
function nodeLines({ nodes }: CandidateField): string[] {
  const possible: string[] = [];
  const refusing: string[] = [];
  for (const { node, primary, secondary } of nodes) {
    const roles: string[] = [];
    for (const [role, verdict] of Object.entries({ primary, secondary })) {
      if (verdict?.refusal === null) roles.push(role);
      else if (verdict) {
        const ruledOut = candidateCount(verdict.candidates);
        refusing.push(`    ${verdict.refusal.text} as ${role} (${ruledOut})`);
      }
    }
    if (roles.length > 0) possible.push(`    ${node}: possible as ${roles.join(" and ")}`);
  }
  return [...limited(possible), ...limited(refusing)];
}

const candidateCount = (count: number) => `${count} candidate${count === 1 ? "" : "s"}`;

/** Refused candidates whose reason does not stand among the nodes already. */
function refusalLines({ refusals, omitted: left }: CandidateField, nodes: string[]): string[] {
  const lines = refusals
    .filter(({ refusal }) => !nodes.some((line) => line.startsWith(`    ${refusal.text}`)))
    .map(({ nodes, refusal }) => {
      const step = refusal.step === undefined ? "" : `${refusal.step}: `;
      return `    not ${placeName(nodes)}, as ${step}${refusal.text}`;
    });
  return limited(lines, lines.length > 0 ? left.refused : 0);
}

/** The first lines, and how many more there are, `beyond` included. */
const limited = (lines: readonly string[], beyond = 0): string[] => [
  ...lines.slice(0, shownMax),
  ...omitted(Math.max(0, lines.length - shownMax) + beyond),
];

const omitted = (count: number): string[] => (count > 0 ? [`    … and ${count} more`] : []);

const indented = (table: string): string[] =>
  table
    .trimEnd()
    .split("\n")
    .map((row) => `   ${row.trimEnd()}`);

function measureText({ score, lostAllocations }: Candidate): string {
  if (score) return figureText(score.total);
  return lostAllocations
    ? `([${lostAllocations.lost.join(",")}],${lostAllocations.diskFreeMib})`
    : "";
}

/** Numbers that JSON cannot express come by their names. */
const figureText = (figure: number | string | undefined): string =>
  typeof figure === "number" ? formatFixed(figure, 8) : (figure ?? "");

/** Why an instance goes where it goes, for people: the place first, then what it was compared with. */
import type { Candidate, Explanation, GroupExplanation } from "@ganeti-ts/protocol";
import { tableLines } from "../../table.js";

/** So many candidates and suggestions are shown; `--json` has all. */
const shownMax = 10;

export function explanationLines(
  { instances: [instance] }: Explanation,
  { colour }: { readonly colour: boolean },
): string[] {
  if (instance === undefined) return [];
  const { needs, to, reason, choice, groups, suggestions } = instance;
  const paint = (code: number, text: string) => (colour ? `\x1b[${code}m${text}\x1b[0m` : text);
  const found = to.length > 0;
  return [
    found
      ? `Selected nodes for the instance: ${paint(32, to.join(", "))}`
      : paint(31, `The instance finds no place: ${reason ?? "nothing is left to choose from"}`),
    `Wanted: ${needs}`,
    ...(choice === null ? [] : [`Why: ${choice.text}`]),
    ...groups.flatMap((group) => ["", ...groupLines(group, choice?.nodes)]),
    ...(found || suggestions.length === 0 ? [] : ["", "What would let it in:"]),
    ...(found ? [] : suggestions.slice(0, shownMax).map(({ text }) => `  ${text}`)),
  ];
}

function groupLines(
  { group, policy, reason, leftOut, field }: GroupExplanation,
  winner: readonly string[] | undefined,
): string[] {
  const why = reason === null ? "" : `: ${reason}`;
  return [
    `Group ${group} (${policy})${why}`,
    ...(field === undefined ? [] : placeLines(field, winner)),
    ...(leftOut.length === 0
      ? []
      : [`  left out: ${leftOut.map((one) => `${one.node} (${one.reason})`).join(", ")}`]),
  ];
}

function placeLines(
  { feasible, refused, refusedBy, candidates }: NonNullable<GroupExplanation["field"]>,
  winner: readonly string[] | undefined,
): string[] {
  const rules = Object.entries(refusedBy).map(([rule, count]) => `${rule}: ${count}`);
  const shown = candidates.slice(0, shownMax);
  const rows = shown.map(({ nodes, score, lostAllocations }) => [
    ...[String(nodes) === String(winner) ? "*" : "", nodes.join(" and ")],
    ...[figure(score, lostAllocations)],
  ]);
  const columns = [
    ...[
      { title: "", right: false },
      { title: "Nodes", right: false },
    ],
    { title: shown[0]?.score === undefined ? "Lost_allocations" : "Score", right: true },
  ];
  return [
    `  ${feasible} possible, ${refused} refused${rules.length === 0 ? "" : ` (${rules.join(", ")})`}`,
    ...(rows.length === 0 ? [] : tableLines(columns, rows, { headers: true })).map(
      (line) => `  ${line}`,
    ),
    ...(feasible > rows.length && rows.length > 0
      ? [`  … and ${feasible - rows.length} more`]
      : []),
  ];
}

function figure(score: Candidate["score"], lost: Candidate["lostAllocations"]): string {
  if (lost !== undefined) return lost.lost.join(" ");
  const total = score?.total;
  return typeof total === "number" ? total.toFixed(8) : String(total);
}

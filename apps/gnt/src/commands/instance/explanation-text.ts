/** Explanation of a placement for people: first the place, then the alternatives. */
import type { Candidate, Explanation, GroupExplanation } from "@ganeti-ts/protocol";
import { tableLines } from "../../table.js";
import { causeLines, refusalWords, withReadableSizes } from "./refusal-causes.js";

/** Maximum number of candidates and suggestions shown; `--json` has all. */
const shownMax = 10;

/** `name` of the instance, if it has one already. */
export function explanationLines(
  { instances: [instance] }: Explanation,
  { colour, name }: { readonly colour: boolean; readonly name?: string | undefined },
): string[] {
  if (instance === undefined) return [];
  const { needs, to, reason, choice, groups, suggestions } = instance;
  const paint = (code: number, text: string) => (colour ? `\x1b[${code}m${text}\x1b[0m` : text);
  const found = to.length > 0;
  return [
    found
      ? `Selected nodes for the instance: ${paint(32, to.join(", "))}`
      : paint(
          31,
          `${name ?? "The instance"} finds no place: ${reason ?? "nothing is left to choose from"}`,
        ),
    `Wanted: ${withReadableSizes(needs)}`,
    ...(choice === null ? [] : [`Why: ${choice.text}`]),
    ...groups.flatMap((group) => ["", ...groupLines(group, choice?.nodes)]),
    ...(found || suggestions.length === 0 ? [] : ["", "What would let it in:"]),
    ...(found ? [] : suggestions.slice(0, shownMax).map(({ text }) => `  ${readable(text, name)}`)),
  ];
}

/** Text for an instance that found no place: one line per cause, by group. */
export function refusalSummary(
  { instances: [instance] }: Explanation,
  name: string | undefined,
): string[] {
  if (instance === undefined || instance.to.length > 0) return [];
  const lines = instance.groups.flatMap((group) =>
    causeLines(group).map((line) => `  group ${group.group}: ${line}`),
  );
  return [
    `No place was found for ${name ?? "the instance"}:`,
    ...lines,
    "The same command with --explain shows the reason of every node and what would help.",
  ];
}

/** The placement core calls an instance that does not exist yet "planned". */
const readable = (text: string, name: string | undefined): string =>
  withReadableSizes(text).replace(/(?<![\w.-])planned(?![\w.-])/g, name ?? "the instance");

function groupLines(
  { group, policy, reason, leftOut, field }: GroupExplanation,
  winner: readonly string[] | undefined,
): string[] {
  const why = reason === null ? "" : `: ${reason}`;
  return [
    `Group ${group} (${policy})${why}`,
    ...(field === undefined ? [] : placeLines(field, winner)),
    ...(field?.feasible === 0 ? nodeLines(field) : []),
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
    "",
    "Nodes",
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

/** One reason per node, or one for each of its two roles if they differ. */
function nodeLines({ nodes }: NonNullable<GroupExplanation["field"]>): string[] {
  const refused = nodes.flatMap(({ node, primary, secondary }) => {
    const roles = [
      { role: "primary", refusal: primary?.refusal },
      { role: "secondary", refusal: secondary?.refusal },
    ].flatMap(({ role, refusal }) =>
      refusal == null ? [] : [{ role: refusal.role === null ? "" : `as ${role}: `, refusal }],
    );
    const words = [...new Set(roles.map(({ role, refusal }) => role + refusalWords(refusal)))];
    return words.length === 0 ? [] : [`    ${node}: ${words.join("; ")}`];
  });
  const more = refused.length - shownMax;
  return more > 0 ? [...refused.slice(0, shownMax), `    … and ${more} more nodes`] : refused;
}

function figure(score: Candidate["score"], lost: Candidate["lostAllocations"]): string {
  if (lost !== undefined) return lost.lost.join(" ");
  const total = score?.total;
  return typeof total === "number" ? total.toFixed(8) : String(total);
}

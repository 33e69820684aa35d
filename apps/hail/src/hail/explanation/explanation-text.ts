/**
 * Human-readable explanation of an answer: the outcome for each instance, its reasons and what would help.
 */
import type { Explanation, InstanceExplanation } from "@ganeti-ts/protocol";
import { indented, type Paint, painter, wrapped } from "../../printing/paint.js";
import { choiceLines } from "./choice-lines.js";
import { groupLines, moveLines } from "./field-lines.js";
import { commonDomain, placeName, withoutDomain } from "./names.js";

/** Several lines, from the outcome to the details, so that readers can stop at any point. */
export function explanationText(
  explanation: Explanation,
  { colour }: { readonly colour: boolean },
): string {
  const paint = painter(colour);
  const { request, metric, ignoreSoftErrors, capacityChecks } = explanation;
  const rules = [
    metric === "score" ? "the lowest score wins" : "the fewest lost allocations win",
    ...(asksCapacity(explanation)
      ? [capacityChecks ? "it must be possible to empty any node afterwards" : "no capacity checks"]
      : []),
    ...(ignoreSoftErrors ? ["soft limits are ignored"] : []),
  ];
  const domain = commonDomain(explanation);
  const { instances } = withoutDomain(explanation, domain);
  const lines = [
    "",
    `${paint("heading", `Why: ${request}`)}  ${paint("quiet", `(${rules.join("; ")})`)}`,
    ...instances.flatMap((instance) => ["", ...instanceLines(instance, paint)]),
    ...(domain === "" ? [] : ["", paint("quiet", `Names are shown without ${domain}`)]),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

const asksCapacity = ({ request, metric }: Explanation): boolean =>
  metric === "score" && !["relocate", "node-evacuate", "balance"].includes(request);

function instanceLines(explained: InstanceExplanation, paint: Paint): string[] {
  const { instance, needs, groups, move, choice } = explained;
  return [
    `${paint("heading", instance)}  ${needs}`,
    ...indented(2, [
      ...outcomeLines(explained, paint),
      ...suggestionLines(explained, paint),
      ...groups.flatMap((group) => ["", ...groupLines(group, move ? null : choice, paint)]),
      ...(move ? ["", ...moveLines(move, choice, paint)] : []),
      ...(choice ? choiceLines(choice, scoreBefore(explained), paint) : []),
    ]),
  ];
}

function outcomeLines({ from, to, reason, choice }: InstanceExplanation, paint: Paint): string[] {
  const start = from.length > 0 ? `from ${placeName(from)} ` : "";
  if (to.length === 0) {
    const where = from.length > 0 ? `stays on ${placeName(from)}` : "finds no place";
    return [paint("bad", `${where}: ${reason}`)];
  }
  const group = choice === null ? "" : ` in group ${choice.group}`;
  return [
    paint("good", `goes ${start}to ${placeName(to)}${group}`),
    ...(reason === null ? [] : wrapped(reason, 100)),
    ...(choice === null ? [] : wrapped(choice.text, 100)),
  ];
}

function suggestionLines(
  { to, suggestions, suggestionsComplete }: InstanceExplanation,
  paint: Paint,
): string[] {
  if (to.length > 0) return [];
  const rest = suggestionsComplete ? [] : ["(there may be more: the search was ended in time)"];
  if (suggestions.length === 0) {
    return rest.length > 0 ? rest : ["No change that was tried lets it in."];
  }
  const found = suggestions.map(({ text }) =>
    paint("hint", /^with/.test(text) ? text : `with ${text}`),
  );
  const heading = found.length === 1 ? "It would succeed" : "Each of these would let it succeed:";
  return ["", heading, ...indented(2, [...found, ...rest])];
}

/** The score that the chosen candidate is compared with. */
function scoreBefore({ groups, move, choice }: InstanceExplanation) {
  const field = move?.field ?? groups.find(({ group }) => group === choice?.group)?.field;
  return field?.scoreBefore;
}

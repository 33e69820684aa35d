/** An explanation for people: what became of each instance, and why. */
import type { Explanation, InstanceExplanation } from "@ganeti-ts/protocol";
import { groupLines, moveLines, placeName } from "./explanation-groups.js";

/** Several lines, from the outcome to the details; the reader may stop anywhere. */
export function explanationText({ request, metric, instances, ...options }: Explanation): string {
  const rules = [
    metric === "score" ? "lowest score wins" : "fewest lost allocations win",
    ...(options.capacityChecks ? [] : ["no capacity checks"]),
    ...(options.ignoreSoftErrors ? ["soft limits ignored"] : []),
  ];
  const lines = [
    "",
    `Explanation of ${request} (${rules.join(", ")}):`,
    ...instances.flatMap((instance) => ["", ...instanceLines(instance)]),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function instanceLines(explained: InstanceExplanation): string[] {
  const { instance, needs, from, to, reason, groups, move, choice, suggestions } = explained;
  const start = from.length > 0 ? ` is on ${placeName(from)} and` : "";
  const outcome = to.length > 0 ? `goes to ${placeName(to)}` : `finds no place: ${reason}`;
  return [
    `${instance} (${needs})${start} ${outcome}`,
    ...(choice ? [`  ${choice.text}`] : []),
    ...(choice && choice.ties.length > 0 ? [`  as good: ${tieNames(choice)}`] : []),
    ...suggestionLines(suggestions),
    ...groups.flatMap((group) => groupLines(group, choice?.nodes)),
    ...(move ? moveLines(move, choice?.nodes) : []),
  ];
}

function tieNames({ tied, ties }: NonNullable<InstanceExplanation["choice"]>): string {
  const unnamed = tied - 1 - ties.length;
  const names = ties.map(placeName).join(", ");
  return unnamed > 0 ? `${names} and ${unnamed} more` : names;
}

function suggestionLines(suggestions: InstanceExplanation["suggestions"]): string[] {
  if (suggestions.length === 0) return [];
  return ["  it would succeed", ...suggestions.map(({ text }) => `    ${text}`)];
}

/** Explanation of a choice: the runner-up, the terms that decided, and the rule that decided a tie. */
import type { Choice, Figure, LostAllocations, Score } from "@ganeti-ts/protocol";
import { scoreText } from "../allocate/allocation.js";
import { lostAllocationsText } from "../allocate/dedicated.js";
import { groupAt } from "../allocate/group-choice.js";
import type { Cluster } from "../model/cluster.js";
import { components } from "../score/metrics.js";
import type { Contender, Examined, Measured } from "./examination.js";
import { nodeName } from "./refusal.js";

export interface ExaminedGroup {
  readonly group: number;
  readonly examined: Examined;
}

const tiesMax = 20;

/**
 * @param winner the winning group, and the nodes in it
 * @param others further groups that could have won
 */
export function explainChoice(
  cluster: Cluster,
  winner: ExaminedGroup & {
    readonly place: { readonly primary: number; readonly secondary: number };
  },
  others: readonly ExaminedGroup[],
): Choice | null {
  const { contenders, tied, field } = winner.examined;
  const isWinner = ({ primary, secondary }: Contender) =>
    primary === winner.place.primary && secondary === winner.place.secondary;
  const won = contenders.find(isWinner);
  // Only with NaN scores can the winner differ from the first candidate.
  if (won === undefined) return null;
  const inGroup = contenders.find((one) => !isWinner(one));
  const elsewhere = others.flatMap(({ group, examined }) => {
    const [best] = examined.contenders;
    return best === undefined ? [] : [{ group, best }];
  });
  const next = inGroup
    ? { group: winner.group, best: inGroup }
    : elsewhere.length > 0
      ? elsewhere[0]
      : undefined;
  const names = (one: Contender) => placeNames(cluster, one);
  const groupName = (group: number) => groupAt(cluster, group).name;
  const ties = contenders.filter((one) => !isWinner(one) && equal(one.measured, won.measured));
  const runnerUp = next && {
    nodes: names(next.best),
    group: groupName(next.group),
    ...next.best.measured,
    differences: differences(won.measured.score, next.best.measured.score),
  };
  const choice: Omit<Choice, "text"> = {
    nodes: names(won),
    group: groupName(winner.group),
    ...won.measured,
    runnerUp: runnerUp ?? null,
    tied,
    ties: ties.slice(0, tiesMax).map(names),
  };
  const groupWords = elsewhere.map(({ group, best }) =>
    groupReason(cluster, winner.group, won, group, best),
  );
  return { ...choice, text: [ownWords(choice, field.feasible), ...groupWords].join(" ") };
}

function ownWords(choice: Omit<Choice, "text">, feasible: number): string {
  const { nodes, runnerUp, tied } = choice;
  const winner = `${nodes.join("/")} wins with ${measureText(choice)}`;
  if (feasible === 1) return `${winner}: the only candidate that is possible.`;
  if (tied > 1) {
    const last =
      nodes.length > 1 ? "the later primary, then the later secondary" : "the later node";
    return `${nodes.join("/")} wins of ${tied} candidates that have exactly ${measureText(choice)}: of equals ${last} is taken.`;
  }
  if (runnerUp === null) return `${winner}.`;
  const next = `${runnerUp.nodes.join("/")} comes next with ${measureText(runnerUp)}`;
  return `${winner}, the lowest of ${feasible}; ${next}${decisive(runnerUp.differences)}.`;
}

/** The terms most in favour of the winner, and the one most in favour of the runner-up. */
export function decisive(found: NonNullable<Choice["runnerUp"]>["differences"]): string {
  const inWords = ({ term, amount }: (typeof found)[number]) => `${term} by ${unsigned(amount)}`;
  // Differences below the printed digits are not shown.
  const shown = found.filter(({ amount }) => Number(unsigned(amount)) !== 0);
  const better = shown.filter(({ amount }) => Number(amount) > 0).slice(0, 2);
  const worse = shown.filter(({ amount }) => Number(amount) < 0).slice(0, 1);
  const parts = [
    ...(better.length > 0 ? [`worse in ${better.map(inWords).join(" and ")}`] : []),
    ...(worse.length > 0 ? [`better in ${worse.map(inWords).join("")}`] : []),
  ];
  return parts.length > 0 ? `, ${parts.join(", ")}` : "";
}

function groupReason(
  cluster: Cluster,
  winner: number,
  won: Contender,
  other: number,
  best: Contender,
): string {
  const [mine, its] = [groupAt(cluster, winner), groupAt(cluster, other)];
  const before = `Group ${mine.name} goes before group ${its.name}`;
  if (mine.allocationPolicy !== its.allocationPolicy) {
    return `${before}: ${mine.allocationPolicy} before ${its.allocationPolicy}.`;
  }
  if (equal(won.measured, best.measured))
    return `${before}: the scores are equal, and Ganeti takes the group that comes later in its data.`;
  return `${before}: its best has ${measureText(won.measured)}, the other's ${measureText(best.measured)}.`;
}

function measureText({
  score,
  lostAllocations,
}: {
  readonly score?: Score | undefined;
  readonly lostAllocations?: LostAllocations | undefined;
}): string {
  if (score !== undefined) return `score ${numberText(score.total)}`;
  return `lost allocations ${lostAllocationsText(lostAllocations as LostAllocations)}`;
}

const numberText = (value: Figure): string =>
  typeof value === "number" ? scoreText(value) : value;

const unsigned = (value: Figure): string =>
  typeof value === "number" ? scoreText(Math.abs(value)) : value;

/** Runner-up less winner, largest first. */
function differences(won: Score | undefined, next: Score | undefined) {
  if (won === undefined || next === undefined) return [];
  const found = components.flatMap(({ name }) => {
    const term = name as keyof Score["terms"];
    const [mine, its] = [won.terms[term], next.terms[term]];
    if (typeof mine !== "number" || typeof its !== "number" || mine === its) return [];
    return [{ term, amount: its - mine }];
  });
  return found.sort((a, b) => Math.abs(b.amount) - Math.abs(a.amount));
}

function equal(a: Measured, b: Measured): boolean {
  if (a.score !== undefined) return a.score.total === b.score?.total;
  const [mine, its] = [a.lostAllocations, b.lostAllocations];
  return its !== undefined && lostAllocationsText(mine) === lostAllocationsText(its);
}

export const placeNames = (
  cluster: Cluster,
  { primary, secondary }: { readonly primary: number; readonly secondary: number },
): string[] =>
  (secondary < 0 ? [primary] : [primary, secondary]).map((node) => nodeName(cluster, node));

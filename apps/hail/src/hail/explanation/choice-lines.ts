/** Score terms of the chosen candidate, compared with the state before and with the runner-up. */
import type { Choice, Score } from "@ganeti-ts/protocol";
import { alignedRows, indented, type Paint, type Row } from "../../printing/paint.js";
import { differenceText, figureText } from "./figures.js";
import { placeName } from "./names.js";

type Term = keyof Score["terms"];

const meanings: Readonly<Record<Term, string>> = {
  free_mem_cv: "spread of free memory",
  free_disk_cv: "spread of free disk",
  n1_cnt: "instances on nodes that fail N+1",
  reserved_mem_cv: "spread of memory reserved for failures",
  offline_all_cnt: "instances on offline nodes",
  offline_pri_cnt: "primaries on offline nodes",
  vcpu_ratio_cv: "spread of vcpus per CPU",
  cpu_load_cv: "spread of CPU load",
  mem_load_cv: "spread of memory load",
  disk_load_cv: "spread of disk load",
  net_load_cv: "spread of network load",
  pri_tags_score: "exclusion tags that meet on a node",
  spindles_cv: "spread of spindle use",
  free_mem_cv_forth: "spread of free memory, counting reservations",
  free_disk_cv_forth: "spread of free disk, counting reservations",
  vcpu_ratio_cv_forth: "spread of vcpus per CPU, counting reservations",
  spindles_cv_forth: "spread of spindle use, counting reservations",
  location_score: "locations shared, and wanted ones missed",
  location_exclusion_score: "exclusion tags that meet in a location",
  reserved_mem_rtotal: "memory reserved for failures",
};

/** Terms that are zero in every column are omitted. */
export function choiceLines(choice: Choice, before: Score | undefined, paint: Paint): string[] {
  const { nodes, score, runnerUp, tied } = choice;
  if (score === undefined || before === undefined) return [];
  // Tied candidates have equal scores, so there is nothing to compare.
  const other = tied > 1 ? undefined : runnerUp?.score;
  const terms = (Object.keys(before.terms) as Term[]).filter((term) =>
    [before, score, other].some((one) => one !== undefined && one.terms[term] !== 0),
  );
  const row = (name: string, meaning: string, at: (one: Score) => Score["total"]): Row => {
    const [was, is, its] = [at(before), at(score), other && at(other)];
    const difference =
      typeof is === "number" && typeof its === "number" ? differenceText(its - is) : "";
    const cells = other
      ? [name, figureText(was), figureText(is), figureText(its), difference, meaning]
      : [name, figureText(was), figureText(is), meaning];
    const decides = difference.startsWith("+") ? { style: "good" as const } : {};
    return { cells, ...(difference.startsWith("-") ? { style: "bad" as const } : decides) };
  };
  const next = other && runnerUp ? [placeName(runnerUp.nodes), "difference"] : [];
  const rows: Row[] = [
    { cells: ["", "before", placeName(nodes), ...next, "what it measures"], style: "quiet" },
    ...terms.map((term) => row(term, meanings[term], ({ terms: all }) => all[term])),
    row("score", "", ({ total }) => total),
  ];
  return [
    "",
    paint("heading", "The score, term by term"),
    ...indented(2, alignedRows(rows, other ? "lrrrrl" : "lrrl", paint)),
  ];
}

/** Entries of the audit, the tree of their causes, and their export. */
import type { Audit } from "@ganeti-ts/rapi-client";

type Kinds = Audit["entries"][number];
/** The keys that an answer has for certain. */
type Known<Kind> = { readonly [Key in keyof Kind as string extends Key ? never : Key]: Kind[Key] };

export type JobEntry = Known<Extract<Kinds, { kind: "job" }>>;
/** A login, a cancellation, a change of a rule, or another action that is not a job. */
export type ActionEntry = Known<Extract<Kinds, { kind: "action" }>>;
export type Entry = JobEntry | ActionEntry;

/** A job with the jobs that it led to. */
export interface Branch {
  readonly entry: JobEntry;
  readonly children: readonly Branch[];
}

/** Actions, and jobs as trees: each below the job that submitted it, or the nearest listed ancestor. */
export function branchesOf(entries: readonly Entry[]): readonly (Branch | ActionEntry)[] {
  const branches = new Map<number, Branch & { readonly children: Branch[] }>();
  for (const entry of entries) {
    if (entry.kind === "job") branches.set(entry.id, { entry, children: [] });
  }
  const roots: (Branch | ActionEntry)[] = [];
  for (const entry of entries) {
    const branch = entry.kind === "job" ? branches.get(entry.id) : undefined;
    if (entry.kind === "action" || branch === undefined) roots.push(entry as ActionEntry);
    else {
      const parent = branch.entry.causes.findLast((id) => branches.has(id));
      if (parent === undefined) roots.push(branch);
      else branches.get(parent)?.children.push(branch);
    }
  }
  return roots;
}

/** "3 jobs and 1 other action". */
export function countText(entries: readonly Entry[]): string {
  const jobs = entries.filter(({ kind }) => kind === "job").length;
  const actions = entries.length - jobs;
  const parts = [
    ...(jobs > 0 ? [`${jobs} ${jobs === 1 ? "job" : "jobs"}`] : []),
    ...(actions > 0 ? [`${actions} other ${actions === 1 ? "action" : "actions"}`] : []),
  ];
  return parts.join(" and ");
}

const clientPrefix = "gnt:client:";

/** The author: the user of the request, or the program on the master. */
export function whoText(entry: Entry): string {
  if (entry.user !== null) return entry.user;
  if (entry.kind === "action") return "administrator, on the server";
  const client = entry.reasons.find(({ source }) => source.startsWith(clientPrefix));
  if (client !== undefined) return `administrator, by ${client.source.slice(clientPrefix.length)}`;
  return "someone who is not recorded";
}

const heads = [
  "job",
  "submitted",
  "ended",
  "who",
  "operations",
  "status",
  "why",
  "causes",
  "trail",
  "address",
];

/** A file for spreadsheets: texts that could be formulas begin with an apostrophe. */
export function csvOf(entries: readonly Entry[]): string {
  const lines = entries.map((entry) => (entry.kind === "job" ? jobLine(entry) : actionLine(entry)));
  return [heads, ...lines].map((line) => `${line.map(cell).join(",")}\r\n`).join("");
}

function jobLine(entry: JobEntry): readonly string[] {
  return [
    ...[String(entry.id), isoOf(entry.received_ts), isoOf(entry.end_ts), whoText(entry)],
    ...[entry.summary.join(", "), entry.status, entry.why.join("; "), entry.causes.join(" ")],
    entry.reasons
      .map(({ source, text }) => (text === "" ? source : `${source}: ${text}`))
      .join("; "),
    "",
  ];
}

function actionLine(entry: ActionEntry): readonly string[] {
  const status = entry.done ? "done" : "refused";
  return [
    ...["", isoOf(entry.time), "", whoText(entry), actionText(entry), status, entry.text],
    ...["", "", entry.address ?? ""],
  ];
}

/** "cancel job 17" */
export const actionText = ({ action, object }: ActionEntry): string => `${action} ${object}`.trim();

function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const isoOf = (time: JobEntry["received_ts"]): string =>
  time === null ? "" : new Date(time[0] * 1000 + time[1] / 1000).toISOString();

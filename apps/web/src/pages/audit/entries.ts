/** The audit: entries as the server gives them, the tree of their causes, and files of them. */

export interface Entry {
  readonly id: number;
  readonly status: string;
  readonly summary: readonly string[];
  readonly archived: boolean;
  readonly received_ts: readonly [number, number] | null;
  readonly end_ts: readonly [number, number] | null;
  readonly user: string | null;
  readonly why: readonly string[];
  readonly causes: readonly number[];
  readonly reasons: readonly {
    readonly source: string;
    readonly text: string;
    readonly time: number;
  }[];
}

export interface Answer {
  readonly entries: readonly Entry[];
  readonly next: number | null;
  readonly looked: number;
  /** The last job id in use at that time. */
  readonly last: number;
}

/** A job with those that it led to. */
export interface Branch {
  readonly entry: Entry;
  readonly children: readonly Branch[];
}

/** Entries below the job that submitted them, or below the nearest one before it that is in the list. */
export function branchesOf(entries: readonly Entry[]): readonly Branch[] {
  const branches = new Map(entries.map((entry) => [entry.id, { entry, children: [] as Branch[] }]));
  const roots: Branch[] = [];
  for (const branch of branches.values()) {
    const parent = branch.entry.causes.findLast((id) => branches.has(id));
    if (parent === undefined) roots.push(branch);
    else branches.get(parent)?.children.push(branch);
  }
  return roots;
}

const clientPrefix = "gnt:client:";

/** The author of a job: the user of the request, or the program on the master. */
export function whoText({ user, reasons }: Entry): string {
  if (user !== null) return user;
  const client = reasons.find(({ source }) => source.startsWith(clientPrefix));
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
];

/** A file for spreadsheets: texts that could be formulas begin with an apostrophe. */
export function csvOf(entries: readonly Entry[]): string {
  const lines = entries.map((entry) => [
    ...[String(entry.id), isoOf(entry.received_ts), isoOf(entry.end_ts), whoText(entry)],
    ...[entry.summary.join(", "), entry.status, entry.why.join("; "), entry.causes.join(" ")],
    entry.reasons
      .map(({ source, text }) => (text === "" ? source : `${source}: ${text}`))
      .join("; "),
  ]);
  return [heads, ...lines].map((line) => `${line.map(cell).join(",")}\r\n`).join("");
}

function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const isoOf = (time: Entry["received_ts"]): string =>
  time === null ? "" : new Date(time[0] * 1000 + time[1] / 1000).toISOString();

/** Search of the audit: its form in the URL, the request, and its answers. */
import type { Audit } from "@ganeti-ts/rapi-client";
import { ask } from "../../api/server.js";
import type { Entry } from "./entries.js";

export const searchNames = ["object", "text", "user", "source", "from", "to", "cause"] as const;
export type Search = Readonly<Record<(typeof searchNames)[number], string>>;

export const searchIn = (args: URLSearchParams): Search =>
  Object.fromEntries(searchNames.map((name) => [name, args.get(name) ?? ""])) as Search;

/** Seconds since the epoch; undefined for a text that is not a time. */
function secondsOf(text: string): number | undefined {
  const time = new Date(text).getTime();
  return Number.isNaN(time) ? undefined : Math.floor(time / 1000);
}

/** The fault of a search; undefined without one. */
export function searchFault({ cause, from, to }: Search): string | undefined {
  if (cause !== "" && !/^\d{1,15}$/.test(cause)) return `${cause} is not the number of a job`;
  for (const time of [from, to]) {
    if (time !== "" && secondsOf(time) === undefined) return `${time} is not a time`;
  }
  return undefined;
}

/** One answer, of entries older than `before`. @throws ServerError, or the reason of `signal` */
function audited(search: Search, before: string | null, signal: AbortSignal): Promise<Audit> {
  const args = new URLSearchParams();
  for (const name of searchNames) {
    const text = search[name].trim();
    if (text === "") continue;
    args.set(name, name === "from" || name === "to" ? String(secondsOf(text)) : text);
  }
  if (before !== null) args.set("before", before);
  return ask("GET", `/ganeti-ts/1/audit?${args}`, undefined, signal);
}

/** Requests further answers until one has entries, or the end is reached. */
export async function auditedMore(
  search: Search,
  before: string | null,
  signal: AbortSignal,
): Promise<Audit> {
  let next = before;
  let looked = 0;
  for (;;) {
    const answer = await audited(search, next, signal);
    looked += answer.looked;
    next = answer.next;
    if (answer.entries.length > 0 || next === null) return { ...answer, looked };
  }
}

/** Maximum number of entries of a file. */
export const exportedMax = 20_000;

/** All entries, newest first; `onCount` is called with their number as they arrive. */
export async function allAudited(
  search: Search,
  signal: AbortSignal,
  onCount: (count: number) => void,
): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  let next: string | null = null;
  do {
    const answer: Audit = await audited(search, next, signal);
    entries.push(...answer.entries);
    next = answer.next;
    onCount(entries.length);
  } while (next !== null && entries.length < exportedMax);
  return entries;
}

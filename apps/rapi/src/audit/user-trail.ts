/** The user of a request in reason trails: the first entry, which only the server writes. */
import { QueueError } from "@ganeti-ts/job-queue";
import { isJsonObject, type Json, type JsonObject } from "@ganeti-ts/protocol";

/**
 * Prefix of the source of the entry that names the user of a request. The name is part of the source, because as the text
 * of a reason it could be an ad-hoc rate limit.
 */
export const userSource = "ganeti-ts:user:";

type Entry = readonly Json[];

const entriesOf = (trail: Json | undefined): readonly Json[] =>
  Array.isArray(trail) ? (trail as readonly Json[]) : [];

const isOfServer = (entry: Json): entry is Entry =>
  Array.isArray(entry) && typeof entry[0] === "string" && entry[0].startsWith(userSource);

/** The entry that names the user; none for local clients. `now` in whole nanoseconds since the epoch. */
const entryOf = (user: string | null, now: bigint): readonly Json[] =>
  user === null ? [] : [[userSource + user, "", now]];

/** Why a client may not send this opcode; undefined if it may. Also looks into jobs that the opcode submits. */
export function forgedUser(opcode: JsonObject): string | undefined {
  const forged = entriesOf(opcode.reason).find(isOfServer);
  if (forged !== undefined) return refusalOf(forged);
  for (const child of entriesOf(opcode.submit_jobs).flatMap(entriesOf)) {
    const fault = isJsonObject(child) ? forgedUser(child) : undefined;
    if (fault !== undefined) return fault;
  }
  return undefined;
}

const refusalOf = ([source]: Entry): string =>
  `Reason '${source}': sources that begin with '${userSource}' name the user of a request and are ` +
  "written by the server alone";

export function opcodeBy(user: string | null, opcode: JsonObject, now: bigint): JsonObject {
  if (user === null) return opcode;
  return { ...opcode, reason: [...entryOf(user, now), ...entriesOf(opcode.reason)] };
}

/**
 * The body of a filter rule with its user. A client that replaces a rule may send the entries that it has read:
 * `known` is the trail of that rule.
 * @throws QueueError `wrong_input` for another entry that names a user
 */
export function ruleBy(
  user: string | null,
  body: Json,
  { now, known = [] }: { readonly now: bigint; readonly known?: readonly Entry[] },
): Json {
  if (!isJsonObject(body)) return body;
  const forged = entriesOf(body.reason)
    .filter(isOfServer)
    .find((entry) => !known.some((old) => isSame(entry, old)));
  if (forged !== undefined) throw new QueueError("wrong_input", refusalOf(forged));
  if (user === null || !(body.reason === undefined || Array.isArray(body.reason))) return body;
  return { ...body, reason: [...entryOf(user, now), ...entriesOf(body.reason)] };
}

/** Whether two entries are equal. Times are compared as JavaScript numbers, to which browsers round them. */
const isSame = ([source, text, time]: Entry, old: Entry): boolean =>
  source === old[0] && text === old[1] && Number(time) === Number(old[2]);

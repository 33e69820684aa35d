/** Nodes and instances that a query names, and the texts of Ganeti's confd where nothing is called so. */
import { isAmbiguous, type ObjectsByType, type Snapshot } from "@ganeti-ts/config";
import { quoted, quotedList } from "@ganeti-ts/protocol";
import type { ConfdOutcome } from "../wire/answer.js";
import { textError } from "../wire/answer.js";
import type { ConfdArgument } from "../wire/query.js";

type Named = "node" | "instance";

export type Found<T extends Named> =
  | { readonly ok: true; readonly object: ObjectsByType[T] }
  | { readonly ok: false; readonly problem: string };

/** By UUID, name, or first labels that begin one name alone; letters count as they are written. O(log n + held). */
export function lookedUp<T extends Named>(now: Snapshot, type: T, text: string): Found<T> {
  const object = now.find(type, text);
  if (object !== undefined && isNamed(object, text)) return { ok: true, object };
  const title = type === "node" ? "Node" : "Instance";
  const why = isAmbiguous(now, type, text) ? "has multiple matches" : "not found";
  return { ok: false, problem: `${title} name ${text} ${why}` };
}

const isNamed = ({ uuid, name = "" }: ObjectsByType[Named], text: string): boolean =>
  uuid === text || name === text || name.startsWith(`${text}.`);

/** The problem of a lookup as the daemon quotes an exception. */
export const shownError = (problem: string): string =>
  `OpPrereqError ${quoted(problem)} ECodeNoEnt`;

/** The same failure in the words that users get. */
export const failureText = (problem: string): string =>
  `Failure: prerequisites not met for this operation:\nerror type: ECodeNoEnt, error details:\n${problem}`;

/** A query of another kind than its type takes, quoted as the daemon shows it. */
export const invalidArgument = (argument: ConfdArgument): ConfdOutcome =>
  textError(`Invalid query type ${shownArgument(argument)}`);

function shownArgument(argument: ConfdArgument): string {
  if (argument === null) return "EmptyQuery";
  if (typeof argument === "string") return `PlainQuery ${quoted(argument)}`;
  const maybe = (text: string | null | undefined) =>
    text == null ? "Nothing" : `Just ${quoted(text)}`;
  const fields = (argument["3"] ?? []).map((field) => fieldNames[field]);
  const parts = [
    `confdReqQIp = ${maybe(argument["1"])}`,
    `confdReqQIpList = ${quotedList(argument["2"] ?? [])}`,
    `confdReqQLink = ${maybe(argument["0"])}`,
    `confdReqQFields = [${fields.join(",")}]`,
  ];
  return `DictQuery (ConfdReqQ {${parts.join(", ")}})`;
}

const fieldNames = ["ReqFieldName", "ReqFieldIp", "ReqFieldMNodePip"] as const;

/** Types of arguments, with the texts in which Ganeti refuses others. */
import {
  compactJson,
  FilterAction,
  FilterExpression,
  FilterPredicate,
  FilterUuid,
  fractionText,
  type JobId,
  type Json,
  jobStatuses,
  quoted,
  type ReasonTrail,
  readJobId,
  roundHalfEven,
} from "@ganeti-ts/protocol";
import * as z from "zod";

/** Adds a fault with Ganeti's text; `refusal` makes it an error of the call instead of its parsing. */
export function fault(
  context: z.RefinementCtx,
  message: string,
  refusal?: readonly [errorClass: string, values: readonly Json[]],
): never {
  context.addIssue({ code: "custom", message, ...(refusal && { params: { refusal } }) });
  return z.NEVER;
}

export const Text = z.string("Unable to read String");
export const Flag = z.boolean("Unable to read Bool");
export const Texts = z.array(Text, "Unable to read list").readonly();

/** Any value: what stands here is compared or passed on, never interpreted. */
export const AnyJson = z.custom<Json>((value) => value !== undefined);

/** A whole number; fractions are rounded, halves to the even neighbour, as Ganeti rounds them. */
export const Whole = z.unknown().transform((value, context): number => {
  const number = typeof value === "number" ? roundHalfEven(value) : Number.NaN;
  return Number.isSafeInteger(number) ? number : fault(context, "Unable to read Int");
});

/** A job id as a number, or as the decimal text that `gnt-job watch` sends. */
export const JobIdArgument = z.unknown().transform((value, context): JobId => {
  const id = readJobId(value);
  if (id !== undefined) return id;
  if (typeof value === "string") {
    return fault(context, `parsing job id: cannot parse string '${value}'`);
  }
  if (typeof value === "number" && !Number.isInteger(value)) {
    return fault(
      context,
      `Got fractional job ID from master daemon?! Value:${fractionText(value)}`,
    );
  }
  if (typeof value === "number" || typeof value === "bigint") {
    return fault(context, `Invalid value for job ID ' ${value}'`);
  }
  return fault(context, "Unable to read job ID");
});

export const JobIds = z.array(JobIdArgument, "Unable to read list").readonly();

/** The kinds of items that `Query` and `QueryFields` serve. */
export const itemKinds = [
  ...(["instance", "node", "group", "network", "export", "job", "lock", "filter"] as const),
];
/** Kind of items that a query can ask for. */
type ItemKind = (typeof itemKinds)[number];

/** Kinds that Ganeti parses and then refuses, by its own name for them. */
const refusedKinds: Readonly<Record<string, string>> = { cluster: "QRCluster", os: "QROs" };

export const itemKind = (method: string) =>
  z.unknown().transform((value, context): ItemKind => {
    if (typeof value !== "string") {
      // Ganeti's text: the closing quote and the blank are missing there, too.
      return fault(context, `Invalid value '${compactJson(value)}for query type`);
    }
    const at = itemKinds.indexOf(value as ItemKind);
    if (at >= 0) return itemKinds[at] as ItemKind;
    const refused = Object.hasOwn(refusedKinds, value) ? refusedKinds[value] : undefined;
    if (refused === undefined) {
      // Ganeti's text: it also lacks the blank after "neither".
      return fault(context, `Can't parse value '${value}' as neitherQueryTypeLuxi nor QueryTypeOp`);
    }
    const text = `${method} 'ItemTypeOpCode ${refused}' not supported`;
    return fault(context, text, ["GenericError", [text]]);
  });

/** Whether locks are to be taken for a query: Ganeti refuses to since 2.12. */
export const NoLock = Flag.superRefine((value, context) => {
  if (!value) return;
  const text = "Sync queries are not allowed";
  fault(context, text, ["OpPrereqError", [text, "wrong_input"]]);
});

const tagKinds = ["cluster", "nodegroup", "node", "instance", "network"] as const;
export const TagKindArgument = Text.transform((value, context): (typeof tagKinds)[number] => {
  const at = tagKinds.indexOf(value as (typeof tagKinds)[number]);
  if (at >= 0) return tagKinds[at] as (typeof tagKinds)[number];
  return fault(context, `Invalid string value for type TagKind: ${quoted(value)}`);
});

export const FilterArgument = FilterExpression;

/** The uuid of a filter rule; a malformed one is an error of the call. */
export const RuleUuid = z.unknown().transform((value, context): FilterUuid => {
  if (typeof value !== "string") return fault(context, "Unable to read String");
  const read = FilterUuid.safeParse(value);
  if (read.success) return read.data;
  const text = "Unable to parse UUID";
  return fault(context, text, ["GenericError", [text]]);
});

export const RulePriority = Whole.superRefine((value, context) => {
  if (value < 0) fault(context, `Invalid value for non-negative type '${value}'`);
});

export const RulePredicates = z.array(FilterPredicate, "Unable to read list").readonly();
export const RuleAction = FilterAction;

/** Entries `[source, reason, nanoseconds]`; the nanoseconds stay exact. */
export const ReasonArgument = z.unknown().transform((value, context): ReasonTrail => {
  const problem = reasonFault(value);
  return problem === undefined
    ? (value as readonly (readonly [string, string, number | bigint])[]).map(
        ([source, reason, nanoseconds]) => [source, reason, BigInt(nanoseconds)] as const,
      )
    : fault(context, problem);
});

/** Ganeti's text for a value that is not a reason trail. */
export function reasonFault(value: unknown): string | undefined {
  if (!Array.isArray(value)) return "Unable to read list";
  for (const entry of value) {
    if (!Array.isArray(entry) || entry.length !== 3) return "Unable to read Triple";
    const [source, reason, nanoseconds] = entry;
    if (typeof source !== "string" || typeof reason !== "string") return "Unable to read String";
    if (typeof nanoseconds !== "bigint" && !Number.isInteger(nanoseconds)) {
      return "Unable to read Integer";
    }
  }
  return undefined;
}

/** Ganeti's text for a value that is not a list of dependencies `[id, [final status…]]`. */
export function dependsFault(value: unknown): string | undefined {
  if (!Array.isArray(value)) return "Unable to read list";
  const final: readonly unknown[] = jobStatuses.slice(-3);
  for (const entry of value) {
    if (!Array.isArray(entry) || entry.length !== 2) return "Unable to read Pair";
    if (!Number.isSafeInteger(entry[0])) return "Unable to read job ID";
    if (!Array.isArray(entry[1])) return "Unable to read list";
    const wrong = entry[1].find((status: unknown) => !final.includes(status));
    if (wrong !== undefined) {
      return `Invalid string value for type FinalizedJobStatus: ${typeof wrong === "string" ? quoted(wrong) : compactJson(wrong)}`;
    }
  }
  return undefined;
}

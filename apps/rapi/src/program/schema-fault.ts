/** faultText: text for a value that a schema refuses, with its place and the accepted values. */
import type * as z from "zod";

type Issue = z.core.$ZodIssue;

/** `nodes[0].name: has to be a string`; `whole` names a fault of the value as a whole. */
export const faultText = (issue: Issue, whole: string): string =>
  `${placeOf(issue.path) || whole}: ${reasonOf(issue)}`;

const placeOf = (path: Issue["path"]): string =>
  path
    .map((step, at) =>
      typeof step === "number" ? `[${step}]` : `${at > 0 ? "." : ""}${String(step)}`,
    )
    .join("");

function reasonOf(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return `has to be ${kinds[issue.expected] ?? `of the type ${issue.expected}`}`;
    case "invalid_value":
      return `has to be one of ${issue.values.map(String).join(", ")}`;
    case "unrecognized_keys":
      return `has no ${issue.keys.map((key) => `'${key}'`).join(", ")}`;
    case "too_small":
      return `has to be at least ${issue.minimum}${unitOf(issue.origin)}`;
    case "too_big":
      return `has to be at most ${issue.maximum}${unitOf(issue.origin)}`;
    default:
      return issue.message;
  }
}

const kinds: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "an integer",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

const unitOf = (origin: string): string =>
  origin === "array" ? " entries long" : origin === "string" ? " characters long" : "";

/** Parsers of option values: choices and lists. Numbers are parsed by htools, as in its text format. */
import { DataError } from "@ganeti-ts/htools";

/** One of the given words. */
export function choice<const T extends string>(text = "", words: readonly T[]): T {
  const word = words.find((known) => known === text);
  if (word !== undefined) return word;
  const known = words.map((each) => `'${each}'`);
  const last = known.pop();
  const listed = known.length > 0 ? `${known.join(", ")} or ${last}` : last;
  throw new DataError(`Invalid choice '${text}', pass one of ${listed}`);
}

/** `yes` or `no`; without a value, yes. */
export const yesOrNo = (text = "yes"): boolean => choice(text, ["yes", "no"]) === "yes";

/** A comma list; empty text is an empty list. */
export const commaList = (text = ""): readonly string[] => (text === "" ? [] : text.split(","));

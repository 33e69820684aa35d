/** Regular expressions that users supply: searched for in time linear in the text, whatever they are. */
import { RE2JS } from "re2js";
import { FilterError } from "./filter-error.js";

/** A regular expression, compiled once. */
export interface Pattern {
  readonly source: string;
  /** No text without this one in it matches; "" if that cannot be said. */
  readonly required: string;
  /** Whether it matches anywhere in the text. Only the first `searchedMax` characters are looked at. */
  found(text: string): boolean;
}

/** Compiles a regular expression that a user supplied. @throws FilterError `wrong_filter` */
export type PatternCompiler = (source: string) => Pattern;

/** A longer pattern is refused. */
export const patternLengthMax = 2000;
/** A pattern that needs more steps per character is refused: `a{900}` needs about 900. */
const programSizeMax = 1000;
/** Texts are searched up to here, as if they ended there; no field of Ganeti's is longer in earnest. */
export const searchedMax = 16_384;

/**
 * Perl's syntax as far as RE2 has it; `^` and `$` also match at line breaks, as Ganeti's daemon has it.
 * Not in RE2: looking around, references to groups, possessive and atomic groups.
 *
 * @throws FilterError `wrong_filter`, "Invalid regular expression (…)".
 */
export function compilePattern(source: string): Pattern {
  if (source.length > patternLengthMax) {
    throw invalid(`longer than ${patternLengthMax} characters`);
  }
  if (/^[^\\^$.|?*+()[\]{}]*$/.test(source)) {
    return { source, required: source, found: (text) => searched(text).includes(source) };
  }
  const program = compiled(source);
  if (program.programSize() > programSizeMax) throw invalid("repeats too much");
  const required = requiredText(source);
  return {
    source,
    required,
    found: (text) =>
      text.length >= required.length && text.includes(required) && program.test(searched(text)),
  };
}

/**
 * A text without which the pattern matches nowhere: the plain characters it starts with, after `^`.
 * Looking for it first is what makes rules cheap that are about others.
 */
function requiredText(source: string): string {
  const start = /^\^?([^\\^$.|?*+()[\]{}]*)([?*{]?)/.exec(source);
  const [, plain = "", quantifier = ""] = start ?? [];
  // What stands first may be one of several alternatives, unless these are in one pair of brackets.
  if (source.includes("|") && !/^[^|\\[]*\([^()\\[]*\)[^|\\[]*$/.test(source)) return "";
  return quantifier === "" ? plain : [...plain].slice(0, -1).join("");
}

function compiled(source: string): RE2JS {
  try {
    return RE2JS.compile(source, RE2JS.MULTILINE);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw invalid(message.replace(/^error parsing regexp: /, "").replace("`(?m)", "`"), error);
  }
}

function invalid(why: string, cause?: unknown): FilterError {
  return new FilterError("wrong_filter", `Invalid regular expression (${why})`, { cause });
}

function searched(text: string): string {
  return text.length > searchedMax ? text.slice(0, searchedMax) : text;
}

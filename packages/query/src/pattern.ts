/** User-supplied regular expressions, matched in time linear in the text. */
import { RE2JS } from "re2js";
import { FilterError } from "./filter-error.js";

/** A regular expression, compiled once. */
export interface Pattern {
  readonly source: string;
  /** Every matching text contains this one; "" if unknown. */
  readonly required: string;
  /** Whether it matches anywhere in the first `searchedMax` characters of the text. */
  found(text: string): boolean;
}

/** Compiles a regular expression from a user. @throws FilterError `wrong_filter` */
export type PatternCompiler = (source: string) => Pattern;

/** Longer patterns are refused. */
const patternLengthMax = 2000;
/** Patterns that need more steps per character are refused: `a{900}` needs about 900. */
const programSizeMax = 1000;
/** Longer texts are searched only up to this length; real fields of Ganeti are shorter. */
export const searchedMax = 16_384;

/**
 * Perl's syntax as far as RE2 supports it; `^` and `$` also match at line breaks, as in Ganeti's daemon. RE2
 * lacks look-around, back-references, possessive and atomic groups.
 *
 * @throws FilterError `wrong_filter`, "Invalid regular expression (…)"
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
 * A text contained in every match: the plain characters at the start of the pattern, after `^`. Searching for
 * it first makes rules cheap that do not match.
 */
function requiredText(source: string): string {
  const start = /^\^?([^\\^$.|?*+()[\]{}]*)([?*{]?)/.exec(source);
  const [, plain = "", quantifier = ""] = start ?? [];
  // The start may belong to one of several alternatives, unless these are in one pair of parentheses.
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

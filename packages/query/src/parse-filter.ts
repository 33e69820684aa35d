/** Parser for the textual form of filters: `name == "web1" and not (tags or "x" in tags)`. */
import { type FilterExpression, filterDepthMax } from "@ganeti-ts/protocol";
import { FilterError, FilterTextError } from "./filter-error.js";
import { globPattern } from "./glob.js";
import { compilePattern } from "./pattern.js";
import { TextReader } from "./text-reader.js";

/**
 * The JSON form of a filter text. `not` binds tightest, then `and`, then `or`; parentheses group, and the
 * grouping is preserved in the result. Cost: linear in the text.
 *
 * @throws FilterTextError with the text, the line with a caret, and the position
 */
export function parseFilter(text: string): FilterExpression {
  const reader = new TextReader(text);
  const filter = joined(reader, "or", 0);
  reader.skipBlanks();
  if (filter !== undefined && reader.atEnd()) return filter;
  throw new FilterTextError(text, reader.farthest, reader.expectation);
}

/** Operands joined by one word, flattened; a single one is returned unchanged. */
function joined(
  reader: TextReader,
  word: "or" | "and",
  depth: number,
): FilterExpression | undefined {
  const operand = () => (word === "or" ? joined(reader, "and", depth) : negation(reader, depth));
  const first = operand();
  if (first === undefined) return undefined;
  const operands = [first];
  for (;;) {
    const start = reader.position;
    if (!reader.keyword(word)) break;
    const next = operand();
    if (next === undefined) {
      reader.position = start;
      break;
    }
    operands.push(next);
  }
  return operands.length === 1 ? first : [word === "or" ? "|" : "&", ...operands];
}

function negation(reader: TextReader, depth: number): FilterExpression | undefined {
  reader.allowDepth(depth, filterDepthMax);
  const start = reader.position;
  if (reader.keyword("not")) {
    const negated = negation(reader, depth + 1);
    if (negated !== undefined) return ["!", negated];
    // `not` may also be the name of a field.
    reader.position = start;
  }
  reader.expects("a condition");
  if (reader.symbol("(")) {
    const inner = joined(reader, "or", depth + 1);
    if (inner !== undefined && reader.symbol(")")) return inner;
    reader.position = start;
    return undefined;
  }
  return condition(reader);
}

function condition(reader: TextReader): FilterExpression | undefined {
  const start = reader.position;
  const value = reader.value();
  if (value !== undefined) {
    const contained = membership(reader, value);
    if (contained === undefined) reader.position = start;
    return contained;
  }
  const field = reader.field();
  if (field === undefined) return undefined;
  const afterField = reader.position;
  const compared = comparison(reader, field);
  if (compared !== undefined) return compared;
  reader.position = afterField;
  return ["?", field];
}

function membership(reader: TextReader, value: string | number | bigint) {
  const negated = reader.symbol("not");
  if (!reader.symbol("in")) return undefined;
  const field = reader.field();
  if (field === undefined) return undefined;
  const contains: FilterExpression = ["=[]", field, value];
  return negated ? (["!", contains] as const) : contains;
}

function comparison(reader: TextReader, field: string): FilterExpression | undefined {
  const operator = reader.operator();
  switch (operator) {
    case undefined:
      return undefined;
    case "=~":
    case "!~": {
      const pattern = regularExpression(reader);
      return pattern === undefined ? undefined : matching(field, pattern, operator === "!~");
    }
    case "=*":
    case "!*": {
      const glob = reader.quoted();
      if (glob === undefined) return undefined;
      return matching(field, globPattern(glob), operator === "!*");
    }
    default: {
      const value = reader.value();
      if (value === undefined) return undefined;
      return [operator === "=" ? "==" : operator, field, value];
    }
  }
}

function matching(field: string, pattern: string, negated: boolean): FilterExpression {
  return negated ? ["!", ["=~", field, pattern]] : ["=~", field, pattern];
}

/** `m/…/is` and similar forms, as the pattern with its flags in front; refused if it does not compile. */
function regularExpression(reader: TextReader): string | undefined {
  reader.skipBlanks();
  const start = reader.position;
  const body = reader.delimited();
  if (body === undefined) return undefined;
  const flags = reader.flags();
  const unknown = [...new Set(flags.replace(/[is]/g, ""))].join("");
  if (unknown !== "") reader.refuse(start, `Unknown regular expression flags: '${unknown}'`);
  const unique = [...new Set(flags)].sort().join("");
  const pattern = unique === "" ? body : `(?${unique})${body}`;
  try {
    compilePattern(pattern);
  } catch (error) {
    if (error instanceof FilterError) reader.refuse(start, error.message);
    throw error;
  }
  return pattern;
}

/** Conditions of rules as text in Ganeti's query syntax, and back; both need the parser, which is loaded with the page. */
import { parseFilter } from "@ganeti-ts/query";

/** The text of a condition; JSON where the syntax has no form for it, empty for one that is always true. */
export function expressionText(expression: unknown): string {
  if (expression === null) return "";
  const text = textOf(expression, false);
  if (text === undefined) return JSON.stringify(expression);
  try {
    return JSON.stringify(parseFilter(text)) === JSON.stringify(expression)
      ? text
      : JSON.stringify(expression);
  } catch {
    return JSON.stringify(expression);
  }
}

/** Reads the text of a condition. @throws Error with the position, and the expected input there */
export function expressionOf(text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  if (!trimmed.startsWith("[")) return parseFilter(trimmed);
  try {
    return JSON.parse(trimmed);
  } catch (error) {
    throw new Error(`It begins with [ and is not JSON: ${(error as Error).message}`);
  }
}

const words: Readonly<Record<string, string>> = { "&": "and", "|": "or" };
const comparisons: ReadonlySet<unknown> = new Set(["==", "!=", "<", "<=", ">", ">="]);

/** Undefined if the syntax cannot express the condition. */
function textOf(expression: unknown, isPart: boolean): string | undefined {
  if (!Array.isArray(expression)) return undefined;
  const [operator, ...rest] = expression as readonly unknown[];
  const [field, value] = rest;
  if (operator === "&" || operator === "|") {
    const parts = rest.map((part) => textOf(part, true));
    if (parts.length < 2 || parts.includes(undefined)) return undefined;
    const joined = parts.join(` ${words[operator]} `);
    return isPart ? `(${joined})` : joined;
  }
  if (operator === "!") {
    const part = textOf(field, true);
    return part && `not ${part}`;
  }
  if (operator === "?") return String(field);
  if (operator === "=[]") return valued(value, (quoted) => `${quoted} in ${field}`);
  if (operator === "=~") return delimited(String(value), (body) => `${field} =~ m${body}`);
  if (!comparisons.has(operator)) return undefined;
  return valued(value, (quoted) => `${field} ${operator} ${quoted}`);
}

function valued(value: unknown, text: (quoted: string) => string): string | undefined {
  if (typeof value === "number") return text(String(value));
  if (typeof value !== "string") return undefined;
  const quote = ['"', "'"].find((one) => !value.includes(one));
  return quote && text(quote + value + quote);
}

/** Doubles backslashes, because the syntax removes one level of them. */
function delimited(pattern: string, text: (body: string) => string): string | undefined {
  const mark = ["/", "#", "|"].find((one) => !pattern.includes(one));
  return mark && text(mark + pattern.replaceAll("\\", "\\\\") + mark);
}

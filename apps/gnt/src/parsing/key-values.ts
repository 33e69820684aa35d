/** Values of options in the forms `k=v,k2=v2` and `id:k=v,…`. */
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import { parameterError } from "../errors.js";
import type { IdParameters } from "../invocation.js";

/** Parts between commas. A backslash quotes the next character: `\\,` is a comma within a part. */
export function commaList(text: string): string[] {
  const parts: string[] = [];
  let part = "";
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] as string;
    if (sign === "\\" && at + 1 < text.length) {
      at += 1;
      part += text[at];
    } else if (sign === ",") {
      parts.push(part);
      part = "";
    } else part += sign;
  }
  return [...parts, part];
}

/**
 * | part | value |
 * |---|---|
 * | `key=text` | the text |
 * | `key` | true |
 * | `no_key` | false |
 * | `-key` | null: the default |
 *
 * `strict` accepts the first form only. @throws GanetiError ParameterError
 */
export function keyValues(option: string, text: string, strict = false): JsonObject {
  const values = new Map<string, Json>();
  if (text === "") return {};
  for (const part of commaList(text)) {
    const [key, value] = keyValue(option, part, strict);
    if (values.has(key)) throw parameterError(`Duplicate key '${key}' in option ${option}`);
    values.set(key, value);
  }
  return Object.fromEntries(values);
}

function keyValue(option: string, part: string, strict: boolean): [string, Json] {
  const at = part.indexOf("=");
  if (at >= 0) return [part.slice(0, at), part.slice(at + 1)];
  if (strict) throw parameterError(`Missing value for key '${part}' in option ${option}`);
  if (part.startsWith("no_")) return [part.slice(3), false];
  if (part.startsWith("-")) return [part.slice(1), null];
  return [part, true];
}

/** `-1:size=2g` is the last disk; `-name` and `no_name` remove. @throws GanetiError ParameterError */
export function idKeyValues(option: string, text: string): IdParameters {
  const at = text.indexOf(":");
  const id = at < 0 ? text : text.slice(0, at);
  const rest = at < 0 ? "" : text.slice(at + 1);
  const removes = (start: number, value: false | null): IdParameters => {
    if (rest === "") return [id.slice(start), value];
    throw parameterError(`Cannot pass options when removing parameter groups: ${text}`);
  };
  if (id.startsWith("no_")) return removes(3, false);
  if (id.startsWith("-") && !/^-\d/.test(id)) return removes(1, null);
  return [id, keyValues(option, rest)];
}

/** `min:k=v/max:k=v//min:…`: a list with one object of parameters per id. @throws GanetiError ParameterError */
export function manyIdKeyValues(
  option: string,
  text: string,
): Readonly<Record<string, JsonObject>>[] {
  return text.split("//").map((line) => {
    const byId = new Map<string, JsonObject>();
    for (const part of line.split("/")) {
      if (part === "") throw parameterError(`Empty section in option '${option}'`);
      const at = part.indexOf(":");
      const id = at < 0 ? part : part.slice(0, at);
      const values = keyValues(option, at < 0 ? "" : part.slice(at + 1), true);
      if (byId.has(id)) {
        throw parameterError(`Duplicated parameter '${id}' in parsing ${option}: ${part}`);
      }
      byId.set(id, values);
    }
    return Object.fromEntries(byId);
  });
}

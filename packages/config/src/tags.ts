/** Rules for tags. */
import { ConfigError, wrongInput } from "./config-error.js";

const tagLengthMax = 128;
const tagCountMax = 4096;

/** @throws ConfigError `wrong_input` */
export function checkTag(tag: unknown): asserts tag is string {
  const fault = tagFault(tag);
  if (fault !== undefined) wrongInput(fault);
}

function tagFault(tag: unknown): string | undefined {
  if (typeof tag !== "string") return "Invalid tag type (not a string)";
  if ([...tag].length > tagLengthMax) return `Tag too long (>${tagLengthMax} characters)`;
  if (tag === "") return "Tags cannot be empty";
  return /^[\p{L}\p{N}_.+*/:@-]+$/u.test(tag) ? undefined : "Tag contains invalid characters";
}

/** All tags once, sorted by code units. @throws ConfigError `wrong_input` */
export function withTags(tags: readonly string[], added: readonly string[]): readonly string[] {
  const all = new Set(tags);
  for (const tag of added) {
    checkTag(tag);
    if (!all.has(tag) && all.size >= tagCountMax) wrongInput("Too many tags");
    all.add(tag);
  }
  return [...all].sort();
}

/** @throws ConfigError `unknown_entity` if one of them is missing */
export function withoutTags(tags: readonly string[], removed: readonly string[]) {
  const missing = new Set(removed.filter((tag) => !tags.includes(tag)));
  if (missing.size > 0) {
    const names = [...missing].sort().map((tag) => `'${tag}'`);
    throw new ConfigError("unknown_entity", `Tag(s) ${names.join(", ")} not found`);
  }
  return tags.filter((tag) => !removed.includes(tag));
}

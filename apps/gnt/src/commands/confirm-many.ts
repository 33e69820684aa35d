/** Confirmation before an operation on many objects. */
import type { Choice, Invocation } from "../invocation.js";

/** Maximum number of names shown with the question; more only on request. */
const shownMax = 20;

export interface ManyThings {
  readonly names: readonly string[];
  /** Such as `nodes`. */
  readonly what: string;
  /** Such as `epo`. */
  readonly doing: string;
  /** Further text of the question, with its newline. */
  readonly extra?: string;
}

/** Asks whether to go on with all of them, unless the flag answers it. */
export async function confirmMany(
  { ask, options }: Invocation,
  flag: "force" | "force-multiple",
  { names, what, doing, extra = "" }: ManyThings,
): Promise<boolean> {
  if (options.flag(flag)) return true;
  const answeredBy = `--${flag}`;
  const question =
    `The ${doing} will operate on ${names.length} ${what}.\n` + `${extra}Do you want to continue?`;
  const list = [`\nAffected ${what}:`, ...names.map((name) => `  ${name}`)].join("\n");
  const yes: Choice<boolean> = { key: "y", value: true, does: `Yes, execute the ${doing}` };
  const no: Choice<boolean> = { key: "n", value: false, does: `No, abort the ${doing}` };
  if (names.length <= shownMax) return ask.choose(question + list, [yes, no], answeredBy);
  const view: Choice<"view"> = {
    key: "v",
    value: "view",
    does: `View the list of affected ${what}`,
  };
  const answer = await ask.choose<boolean | "view">(question, [yes, view, no], answeredBy);
  return answer === "view" ? ask.choose(question + list, [yes, no], answeredBy) : answer;
}

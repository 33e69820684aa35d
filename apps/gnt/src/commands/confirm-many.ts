/** The question before something is done to many things. */
import type { Ask, Choice } from "../invocation.js";

/** Up to so many are shown with the question, more only on request. */
const shownMax = 20;

/** `what`: `nodes`; `doing`: `epo`; `extra`: what else to say, with its newline. */
export async function confirmMany(
  ask: Ask,
  names: readonly string[],
  what: string,
  doing: string,
  extra = "",
): Promise<boolean> {
  const question =
    `The ${doing} will operate on ${names.length} ${what}.\n` + `${extra}Do you want to continue?`;
  const list = [`\nAffected ${what}:`, ...names.map((name) => `  ${name}`)].join("\n");
  const yes: Choice<boolean> = { key: "y", value: true, does: `Yes, execute the ${doing}` };
  const no: Choice<boolean> = { key: "n", value: false, does: `No, abort the ${doing}` };
  if (names.length <= shownMax) return ask.choose(question + list, [yes, no]);
  const view: Choice<"view"> = {
    ...{ key: "v", value: "view", does: `View the list of affected ${what}` },
  };
  const answer = await ask.choose<boolean | "view">(question, [yes, view, no]);
  return answer === "view" ? ask.choose(question + list, [yes, no]) : answer;
}

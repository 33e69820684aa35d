/** Questions before something is done to several instances. */
import type { Invocation } from "../../invocation.js";

/** So many names are not shown before somebody asks for them. */
const shownMax = 20;

/** `extra` is what else to say, a line. */
export async function confirmMany(
  { ask }: Invocation,
  names: readonly string[],
  operation: string,
  extra = "",
): Promise<boolean> {
  const question =
    `The ${operation} will operate on ${names.length} instances.\n` +
    `${extra}Do you want to continue?`;
  const affected = ["\nAffected instances:", ...names.map((name) => `  ${name}`)].join("\n");
  const yes = { key: "y", value: "yes", does: `Yes, execute the ${operation}` } as const;
  const no = { key: "n", value: "no", does: `No, abort the ${operation}` } as const;
  const view = { key: "v", value: "view", does: "View the list of affected instances" } as const;
  const isLong = names.length > shownMax;
  const first = await ask.choose<"yes" | "no" | "view">(
    isLong ? question : question + affected,
    isLong ? [yes, view, no] : [yes, no],
  );
  if (first !== "view") return first === "yes";
  return (await ask.choose<"yes" | "no">(question + affected, [yes, no])) === "yes";
}

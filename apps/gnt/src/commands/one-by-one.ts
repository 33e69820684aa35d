/**
 * Queries about several objects to a server that takes only one at a time: a remote API of Ganeti.
 */
import type { QueryKind } from "../cluster.js";
import { ServerLacks } from "../errors.js";
import type { Invocation } from "../invocation.js";

/**
 * Answers of `ask`: one about all names, or one for each. No names stand for all objects of the
 * kind.
 */
export async function askOneByOne<Answer>(
  { cluster }: Pick<Invocation, "cluster">,
  kind: QueryKind,
  names: readonly string[],
  ask: (names: readonly string[]) => Promise<Answer>,
): Promise<readonly Answer[]> {
  try {
    return [await ask(names)];
  } catch (error) {
    if (!(error instanceof ServerLacks) || names.length === 1) throw error;
  }
  const each =
    names.length > 0
      ? names
      : (await cluster.query(kind, ["name"], null)).data.map(([name]) => String(name?.[1]));
  const answers: Answer[] = [];
  for (const name of each) answers.push(await ask([name]));
  return answers;
}

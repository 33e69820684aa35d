/** Submission of a rule to the server; on a terminal a refusal by its parser is shortened. */
import type { RuleParts } from "../../cluster.js";
import { Ending, GanetiError } from "../../errors.js";
import type { Invocation } from "../../invocation.js";

/** Returns the UUID. Scripts expect the words of the parser. @throws Ending, GanetiError */
export async function storedRule(
  { cluster, out }: Invocation,
  uuid: string | null,
  rule: RuleParts,
): Promise<string> {
  try {
    return await cluster.putFilter(uuid, rule);
  } catch (error) {
    const reason = error instanceof GanetiError && parserReason.exec(error.message)?.[1];
    if (!reason || out.terminal === undefined) throw error;
    throw new Ending(`There cannot be such a filter rule: ${reason}`);
  }
}

/** The reason follows the whole rule as the parser got it. */
const parserReason = /^Failed to parse request: Cannot convert value '.*', error: (.*)$/s;

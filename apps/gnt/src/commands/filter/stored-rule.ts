/** A rule that is sent to the server; a refusal in the words of its parser is shortened on a terminal. */
import type { RuleParts } from "../../cluster.js";
import { Ending, GanetiError } from "../../errors.js";
import type { Invocation } from "../../invocation.js";

/** Gives the UUID. Scripts know the words of the parser. @throws Ending, GanetiError */
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

/** Behind the whole rule as the parser got it. */
const parserReason = /^Failed to parse request: Cannot convert value '.*', error: (.*)$/s;

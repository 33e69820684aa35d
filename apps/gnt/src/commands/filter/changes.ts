/** gnt-filter add, replace and delete. */
import type { RuleParts } from "../../cluster.js";
import type { ExitCode } from "../../command.js";
import { Ending, GanetiError } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { ruleParts } from "./rule-parts.js";

export const add = (invocation: Invocation) => stored(invocation, null);

export const replace = (invocation: Invocation) => stored(invocation, invocation.args[0] ?? "");

async function stored(invocation: Invocation, given: string | null): Promise<ExitCode> {
  const uuid = await storedRule(invocation, given, ruleParts(invocation));
  invocation.out.document({ uuid });
  invocation.out.line(uuid);
  return 0;
}

export async function remove({ args, cluster, out }: Invocation): Promise<ExitCode> {
  const [uuid = ""] = args;
  await cluster.deleteFilter(uuid);
  out.document({ uuid });
  return 0;
}

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

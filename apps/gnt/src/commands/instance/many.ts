/** One job for each selected instance, after a confirmation if there are several. */

import type { OpcodeJson } from "../../cluster.js";
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { runMany } from "../../jobs/follow.js";
import { confirmMany } from "../confirm-many.js";
import { selectedInstances } from "./selection.js";

/** `operation` as in the question: `shutdown`. */
export async function manyInstances(
  invocation: Invocation,
  operation: string,
  opcodeOf: (name: string) => OpcodeJson,
): Promise<ExitCode> {
  const { names, isOne } = await selectedInstances(invocation);
  if (names.length === 0) {
    invocation.out.line("Cluster is empty, no instances to shutdown");
    return 0;
  }
  if (!invocation.options.flag("force-multiple") && !isOne) {
    if (
      !(await confirmMany(invocation.ask, {
        names,
        what: "instances",
        doing: operation,
        answeredBy: "--force-multiple",
      }))
    )
      return 1;
  }
  return runMany(
    invocation,
    names.map((name) => ({ name, opcode: opcodeOf(name) })),
    { quiet: isOne },
  );
}

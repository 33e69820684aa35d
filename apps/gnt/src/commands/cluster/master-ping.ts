/** gnt-cluster master-ping: sets the exit code and prints nothing. */
import type { ExitCode } from "../../command.js";
import { failureOf } from "../../failure.js";
import type { Invocation } from "../../invocation.js";

export async function run({ cluster }: Invocation): Promise<ExitCode> {
  try {
    await cluster.info();
    return 0;
  } catch (error) {
    if (failureOf(error) === undefined) throw error;
    return 1;
  }
}

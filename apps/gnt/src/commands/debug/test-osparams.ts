/** `gnt-debug test-osparams`. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  await runOpcode(invocation, {
    OP_ID: "OP_TEST_OS_PARAMS",
    osparams_secret: invocation.options.keyValues("os-parameters-secret") ?? {},
  });
  return 0;
}

/** gnt-debug delay and test-osparams: jobs without effect. */
import type { ExitCode } from "../../command.js";
import { prereqError } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";

export async function delay(invocation: Invocation): Promise<ExitCode> {
  const { args, options } = invocation;
  const [given = ""] = args;
  const duration = Number(given);
  if (given.trim() === "" || Number.isNaN(duration)) {
    throw prereqError(`could not convert string to float: '${given}'`);
  }
  await runOpcode(invocation, {
    OP_ID: "OP_TEST_DELAY",
    duration,
    on_master: !options.flag("no-master"),
    on_nodes: options.texts("nodes"),
    repeat: options.integer("repeat") ?? 0,
    interruptible: options.flag("interruptible"),
    no_locks: options.flag("no-locks"),
  });
  return 0;
}

export async function testOsParameters(invocation: Invocation): Promise<ExitCode> {
  await runOpcode(invocation, {
    OP_ID: "OP_TEST_OS_PARAMS",
    osparams_secret: invocation.options.keyValues("os-parameters-secret") ?? {},
  });
  return 0;
}

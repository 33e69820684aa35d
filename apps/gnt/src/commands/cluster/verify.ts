/** gnt-cluster verify: prints the findings of its jobs as they arrive. */
import type { OpcodeJson } from "../../cluster.js";
import type { ExitCode } from "../../command.js";
import type { Invocation, OptionValues } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { given } from "../../opcode.js";
import { childResults } from "../children.js";

/** Code 0 only if there are no errors. */
export async function run(invocation: Invocation): Promise<ExitCode> {
  const { options, out } = invocation;
  const results = await childResults(
    invocation,
    await runOpcode(invocation, verifyOpcode(options)),
  );
  const badJobs = results.filter(({ ok }) => !ok).length;
  if (badJobs > 0) out.line(`${badJobs} job(s) failed while verifying the cluster.`);
  return results.every((one) => one.ok && Boolean(one.results[0])) ? 0 : 1;
}

export const verifyOpcode = (options: OptionValues): OpcodeJson => ({
  OP_ID: "OP_CLUSTER_VERIFY",
  verbose: options.flag("verbose"),
  error_codes: options.flag("error-codes"),
  debug_simulate_errors: options.flag("debug-simulate-errors"),
  skip_checks: options.flag("no-nplus1-mem") ? ["nplusone_mem"] : [],
  ignore_errors: [...options.texts("ignore-errors")],
  verify_clutter: options.flag("verify-ssh-clutter"),
  ...given({ group_name: options.text("node-group") }),
});

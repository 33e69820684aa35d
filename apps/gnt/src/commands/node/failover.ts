/** gnt-node failover: one job for each instance. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { runJobs } from "../../jobs/follow.js";
import { given } from "../../opcode.js";
import { primariesOf } from "./primaries.js";

/** Exit code 2 if the user declines; 0 even if some failovers failed, as in Ganeti. */
export async function run(invocation: Invocation): Promise<ExitCode> {
  const { args, options, ask, out } = invocation;
  const { name, instances } = await primariesOf(invocation, args[0] as string);
  if (instances.length === 0) {
    out.error(`No primary instances on node ${name}, exiting.`);
    return 0;
  }
  const question = `Fail over instance(s) ${instances.map((one) => `'${one}'`).join(",")}?`;
  if (!options.flag("force") && !(await ask.confirm(question, "--force"))) return 2;
  const opcode = {
    OP_ID: "OP_INSTANCE_FAILOVER",
    ignore_consistency: options.flag("ignore-consistency"),
    ...given({ iallocator: options.text("iallocator") }),
  };
  const results = await runJobs(
    invocation,
    instances.map((instance_name) => ({
      name: instance_name,
      opcodes: [{ ...opcode, instance_name }],
    })),
  );
  const bad = results.filter(({ ok }) => !ok).length;
  out.line(
    bad === 0
      ? `All ${results.length} instance(s) failed over successfully.`
      : `There were errors during the failover:\n${bad} error(s) out of ${results.length} instance(s).`,
  );
  return 0;
}

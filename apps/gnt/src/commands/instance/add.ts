/** `gnt-instance add`. */
import type { ExitCode } from "../../command.js";
import { Ending } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { addOpcode } from "./creation.js";
import { explain } from "./explain.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { args, options, out } = invocation;
  const [name] = args;
  // Only what is reserved may be without a name.
  if (name === undefined && !options.flag("forthcoming")) {
    throw new Ending("Error: Command add expects 1 argument(s)");
  }
  const wanted = addOpcode(name, options);
  if (options.flag("explain")) return explain(invocation, wanted);
  const made = await runOpcode(invocation, wanted);
  // The name of what has none yet.
  if (options.flag("forthcoming") && typeof made === "string") out.line(made);
  return 0;
}

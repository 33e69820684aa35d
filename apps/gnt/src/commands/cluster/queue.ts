/** gnt-cluster queue: shows or sets whether new jobs are accepted. */
import type { ExitCode } from "../../command.js";
import { prereqError } from "../../errors.js";
import type { Invocation } from "../../invocation.js";

export async function run({ args, cluster, out }: Invocation): Promise<ExitCode> {
  const [command] = args;
  switch (command) {
    case "drain":
    case "undrain":
      await cluster.setDrained(command === "drain");
      return 0;
    case "info":
      out.line(`The drain flag is ${(await cluster.isDrained()) ? "set" : "unset"}`);
      return 0;
    default:
      throw prereqError(`Command '${command}' is not valid.`);
  }
}

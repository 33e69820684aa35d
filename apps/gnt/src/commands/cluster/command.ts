/** gnt-cluster command: refused. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { noSsh } from "./over-ssh.js";

export async function run({ args }: Invocation): Promise<ExitCode> {
  throw noSsh(`run '${args.join(" ")}'`);
}

/** gnt-cluster master-failover: refused, for there is nothing to fail over. */
import type { ExitCode } from "../../command.js";
import { Ending } from "../../errors.js";
import type { Invocation } from "../../invocation.js";

export async function run(_invocation: Invocation): Promise<ExitCode> {
  throw new Ending(
    "Cannot fail over: no node is special to this server. Several servers of one cluster share a database" +
      " (ganeti-rapi --store=postgres://…), and where one ends the others go on with its jobs by themselves.",
  );
}

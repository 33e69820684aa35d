/**
 * gnt-cluster show-ispecs-cmd: prints the command that creates a cluster with these instance
 * limits.
 */
import type { JsonObject } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { policyOptions } from "./policy-command.js";

export async function run({ cluster, out }: Invocation): Promise<ExitCode> {
  const { ipolicy, name } = await cluster.info();
  out.line(`gnt-cluster init${policyOptions(ipolicy as JsonObject)} ${name}`);
  return 0;
}

/** gnt-group show-ispecs-cmd: prints the commands that create groups with these instance limits. */
import type { JsonObject } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { policyOptions } from "../cluster/policy-command.js";
import { byName } from "../named.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { options, out, args } = invocation;
  const field = options.flag("include-defaults") ? "ipolicy" : "custom_ipolicy";
  for (const group of await byName(invocation, "group", ["name", field], args)) {
    // Groups have no standard size.
    const { std: _, ...policy } = group[field] as JsonObject;
    out.line(`gnt-group add${policyOptions(policy as JsonObject)} ${group.name}`);
  }
  return 0;
}

/** `gnt-instance add`. */
import type { Json } from "@ganeti-ts/protocol";
import type { OpcodeJson } from "../../cluster.js";
import type { ExitCode } from "../../command.js";
import { Ending, GanetiError } from "../../errors.js";
import { failureText } from "../../failure.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { reportUuid } from "../reports.js";
import { addOpcode } from "./creation.js";
import { explain, refusalLines } from "./explain.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { args, options, out } = invocation;
  const [name] = args;
  // Only reservations may have no name.
  if (name === undefined && !options.flag("forthcoming")) {
    throw new Ending("Error: Command add expects 1 argument(s)");
  }
  const wanted = addOpcode(name, options);
  if (options.flag("explain")) return explain(invocation, wanted);
  const made = await created(invocation, wanted);
  // The UUID stands for the missing name.
  if (options.flag("forthcoming") && typeof made === "string") out.line(made);
  else if (name !== undefined) await reportUuid(invocation, "instance", name);
  return 0;
}

/** On a terminal a creation without a place also prints the reasons in words. */
async function created(invocation: Invocation, wanted: OpcodeJson): Promise<Json> {
  try {
    return await runOpcode(invocation, await withHypervisor(invocation, wanted));
  } catch (error) {
    if (invocation.out.terminal === undefined || !findsNoPlace(error)) throw error;
    const lines = await refusalLines(invocation, wanted);
    throw new Ending([failureText(error), ...lines].join("\n"));
  }
}

const findsNoPlace = (error: unknown): boolean =>
  error instanceof GanetiError &&
  error.className === "OpPrereqError" &&
  /^Can't compute nodes using iallocator /.test(String(error.args[0]));

/**
 * A reservation may leave the hypervisor open; an instance without one gets the cluster's default.
 */
async function withHypervisor({ cluster }: Invocation, wanted: OpcodeJson): Promise<OpcodeJson> {
  const { commit, hypervisor, instance_name: name } = wanted;
  if (commit !== true || hypervisor !== undefined || typeof name !== "string") return wanted;
  const filter = ["|", ["==", "name", name], ["==", "uuid", name]] as const;
  const { data } = await cluster.query("instance", ["hypervisor"], filter);
  const [status] = data[0]?.[0] ?? [0];
  if (status === 0) return wanted;
  const { default_hypervisor: usual } = await cluster.info();
  return typeof usual === "string" ? { ...wanted, hypervisor: usual } : wanted;
}

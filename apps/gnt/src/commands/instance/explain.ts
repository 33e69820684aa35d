/**
 * `gnt-instance add --explain`: shows where the instance would go now, and why, without creating
 * it.
 */
import { type Explanation, isJsonObject, type Json } from "@ganeti-ts/protocol";
import type { Cluster, OpcodeJson } from "../../cluster.js";
import type { ExitCode } from "../../command.js";
import { execError, prereqError, ServerLacks } from "../../errors.js";
import { failureOf } from "../../failure.js";
import type { Invocation } from "../../invocation.js";
import { explanationLines, refusalSummary } from "./explanation-text.js";

/** Parameters of a creation that affect its placement. */
const describing = [
  ...["beparams", "disks", "disk_template", "nics", "hypervisor", "os_type", "tags", "group_name"],
] as const;

/** Code 1 if there is no place. @throws GanetiError if there is nothing to choose */
export async function explain({ cluster, out }: Invocation, wanted: OpcodeJson): Promise<ExitCode> {
  if (wanted.pnode !== undefined) {
    throw prereqError("The nodes are given (-n): there is no choice to explain");
  }
  if (wanted.commit === true) {
    throw prereqError("The nodes of a reservation are known: there is nothing to choose");
  }
  const explanation = await explanationOf(cluster, wanted);
  out.document(explanation as Json);
  const name = nameOf(wanted);
  for (const line of explanationLines(explanation, { colour: out.colour, name })) out.line(line);
  const missing = await missingSystem(cluster, wanted);
  if (missing !== undefined) out.error(missing);
  return explanation.success && missing === undefined ? 0 : 1;
}

/** Problem with the operating system, which the creation checks and an allocator does not. */
async function missingSystem(
  cluster: Cluster,
  { os_type: system, force_variant: force }: OpcodeJson,
): Promise<string | undefined> {
  if (typeof system !== "string") return undefined;
  const answer = await cluster.call("GET", "/2/os");
  const names = Array.isArray(answer) ? answer.map(String) : [];
  const base = (name: string) => name.replace(/\+.*/s, "");
  const wanted = force === true ? base(system) : system;
  if (names.some((name) => (force === true ? base(name) : name) === wanted)) return undefined;
  const choice = names.length === 0 ? "" : ` It offers ${names.join(", ")}.`;
  return `The cluster does not offer the operating system '${system}': unless it is a hidden one, the creation fails.${choice}`;
}

/**
 * Causes of a refused creation, one per line, and a hint for details. Empty if the cluster cannot
 * explain, or has a place by now.
 */
export async function refusalLines(
  { cluster }: Pick<Invocation, "cluster">,
  wanted: OpcodeJson,
): Promise<readonly string[]> {
  try {
    return refusalSummary(await explanationOf(cluster, wanted), nameOf(wanted));
  } catch (error) {
    // The refusal itself is shown in any case; other errors of this second request would hide it.
    if (failureOf(error) === undefined) throw error;
    return [];
  }
}

const nameOf = ({ instance_name: name }: OpcodeJson): string | undefined =>
  typeof name === "string" ? name : undefined;

async function explanationOf(cluster: Cluster, wanted: OpcodeJson): Promise<Explanation> {
  const body = Object.fromEntries(
    describing.flatMap((name): [string, Json][] => {
      const value = wanted[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const answer = await cluster
    .call("POST", "/ganeti-ts/1/explain", { body })
    .catch(withoutResource);
  if (!isJsonObject(answer) || !Array.isArray(answer.instances)) {
    throw execError("The server's explanation is invalid");
  }
  // Only servers of ours have the resource, and they check their answers.
  return answer as Explanation;
}

/** Servers of Ganeti lack the resource. @throws all other errors */
function withoutResource(error: Error): never {
  const { status } = (error.cause ?? {}) as { readonly status?: number };
  if (status === 404) throw new ServerLacks("This server does not explain where instances go.");
  throw error;
}

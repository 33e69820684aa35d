/** Operations on one node without a job, which only servers of ours offer over their API. */
import type { Json } from "@ganeti-ts/protocol";
import { GanetiError, ServerLacks } from "../../errors.js";
import type { Invocation } from "../../invocation.js";

/** The node's answer, or the problem that prevented it. */
export type NodeOutcome =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly problem: string };

/**
 * @throws ServerLacks if the server has no such resource, and all errors that have nothing to do
 * with the node
 */
export async function askNode(
  { cluster }: Invocation,
  [method, resource]: readonly ["POST", "command"] | readonly ["PUT", "file"],
  node: string,
  body: Json,
): Promise<NodeOutcome> {
  const path = `/ganeti-ts/1/nodes/${encodeURIComponent(node)}/${resource}`;
  try {
    return { ok: true, value: await cluster.call(method, path, { body }) };
  } catch (error) {
    const { status } = ((error as Error).cause ?? {}) as { readonly status?: number };
    if (status === 404) {
      throw new ServerLacks(
        `This server does not reach its nodes that way: gnt-cluster ${resource === "file" ? "copyfile" : "command"}` +
          " has to be run on the master of a Ganeti cluster itself.",
      );
    }
    if (status === 502 && error instanceof GanetiError) {
      return { ok: false, problem: error.message };
    }
    throw error;
  }
}

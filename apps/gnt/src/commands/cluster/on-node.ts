/** What is done on one node beside the queue. Only servers of ours do that over their API. */
import type { Json } from "@ganeti-ts/protocol";
import { GanetiError, ServerLacks } from "../../errors.js";
import type { Invocation } from "../../invocation.js";

/** What the node gave, or what kept it from doing so. */
export type NodeOutcome =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly problem: string };

/** @throws ServerLacks where the server has no such resource, and whatever else has nothing to do with the node */
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

/** Calls to nodes on behalf of a unit, and what follows from their failure. */
import { ExecError, type PrereqCode, PrereqError } from "@ganeti-ts/job-queue";
import {
  failed,
  type NodeAnswer,
  type NodeBackend,
  type NodeCallArguments,
  type NodeCaller,
  type NodeCallName,
  type NodeCallValue,
} from "@ganeti-ts/node-calls";

/** On whose behalf nodes are called, and the nodes. */
export interface Calling extends NodeCaller {
  readonly nodes: NodeBackend;
}

/** A job that was killed, or whose worker may no longer act, asks nodes for nothing more. */
export const ask = async <Name extends NodeCallName>(
  { nodes, lease, signal }: Calling,
  node: string,
  name: Name,
  args: NodeCallArguments<Name>,
): Promise<NodeAnswer<NodeCallValue<Name>>> =>
  signal.aborted ? failed("Call was given up") : nodes.call(node, name, args, { lease, signal });

/** The value, else an ExecError of the text and the node's message. */
export function valueOrFail<T>(answer: NodeAnswer<T>, text: string): T {
  if (answer.ok) return answer.value;
  throw new ExecError(`${text}: ${answer.message}`);
}

/** As `valueOrFail`, for checks. */
export function valueOrRefuse<T>(
  answer: NodeAnswer<T>,
  text: string,
  code: PrereqCode = "environment_error",
): T {
  if (answer.ok) return answer.value;
  throw new PrereqError(code, `${text}: ${answer.message}`);
}

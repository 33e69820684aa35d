/** Calls of a unit to nodes, and translation of their failures. */
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

/** The nodes, and the lease in whose name they are called. */
export interface Calling extends NodeCaller {
  readonly nodes: NodeBackend;
}

/** A killed job, or one whose worker has lost its lease, makes no further calls. */
export const ask = async <Name extends NodeCallName>(
  { nodes, lease, signal }: Calling,
  node: string,
  name: Name,
  args: NodeCallArguments<Name>,
): Promise<NodeAnswer<NodeCallValue<Name>>> =>
  signal.aborted ? failed("Call was given up") : nodes.call(node, name, args, { lease, signal });

/** The value of the answer. @throws ExecError with the text and the node's message */
export function valueOrFail<T>(answer: NodeAnswer<T>, text: string): T {
  if (answer.ok) return answer.value;
  throw new ExecError(`${text}: ${answer.message}`);
}

/** Like `valueOrFail`, for checks: throws a PrereqError. */
export function valueOrRefuse<T>(
  answer: NodeAnswer<T>,
  text: string,
  code: PrereqCode = "environment_error",
): T {
  if (answer.ok) return answer.value;
  throw new PrereqError(code, `${text}: ${answer.message}`);
}

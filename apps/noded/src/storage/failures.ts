/** Helpers that add context to failures and collect several of them. */
import { faultOf, ifFailed, NodeFailure } from "../failure.js";

/** Runs `action`; a failure gets the prefix `what`. */
export async function attempt<T>(what: string, action: () => Promise<T>): Promise<T> {
  return action().catch(
    ifFailed((fault) => {
      throw new NodeFailure(`${what}: ${fault}`);
    }),
  );
}

/** Runs `action` for each item and continues after failures; their texts are joined and thrown at the end. */
export async function all<T>(
  items: readonly T[],
  action: (item: T) => Promise<void>,
  join: (messages: readonly string[]) => string = (messages) => messages.join("; "),
): Promise<void> {
  const messages: string[] = [];
  for (const item of items) {
    const fault = await faultOf(() => action(item));
    if (fault !== null) messages.push(fault);
  }
  if (messages.length > 0) throw new NodeFailure(join(messages));
}

/** Where the state of simulated nodes is kept, so that it outlives the process that simulates them. */
import type { HostState, SharedState } from "./node-state.js";

/** Everything that simulated nodes are, by the names of the hosts. */
export interface KeptStates {
  readonly hosts: readonly HostState[];
  readonly shared: SharedState | undefined;
}

export interface NodeStates {
  load(): KeptStates | Promise<KeptStates>;
  /**
   * Keeps what has changed, whole: what it is given is a host's state as JSON, by name, and that of the
   * shared storage under the empty name. It is kept when this returns or resolves.
   */
  save(changed: ReadonlyMap<string, string>): void | Promise<void>;
  /**
   * Only where several processes simulate the same nodes: tells what the others have changed since the
   * last time, then acts, and saves, while none of them does. All that was saved is kept when it returns or
   * resolves. When it fails with a NodeStatesError that is not known, and the next time it tells everything.
   */
  alone?<T>(adopt: (changed: KeptStates) => void, act: () => T): T | Promise<T>;
}

/** What keeps them could not be reached. */
export class NodeStatesError extends Error {
  override readonly name = "NodeStatesError";
}

/** Outlives what simulates the nodes, not the process: for tests of a restart. */
export function nodeStatesInMemory(): NodeStates {
  const kept = new Map<string, string>();
  return {
    load: () => parsedStates(kept),
    save(changed) {
      for (const [name, text] of changed) kept.set(name, text);
    },
  };
}

/** The states that were kept as texts by name. */
export function parsedStates(kept: ReadonlyMap<string, string>): KeptStates {
  const hosts: HostState[] = [];
  let shared: SharedState | undefined;
  for (const [name, text] of kept) {
    if (name === "") shared = JSON.parse(text) as SharedState;
    else hosts.push(JSON.parse(text) as HostState);
  }
  return { hosts, shared };
}

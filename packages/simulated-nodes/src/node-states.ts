/** Store for the state of simulated nodes, so that it outlives the process that simulates them. */
import type { HostState, SharedState } from "./node-state.js";

/** All saved states, by host name. */
export interface KeptStates {
  readonly hosts: readonly HostState[];
  readonly shared: SharedState | undefined;
}

/** Port to the storage of the states of simulated machines. */
export interface NodeStates {
  load(): KeptStates | Promise<KeptStates>;
  /**
   * Saves changed states as a whole: JSON of each host by name, and of the shared storage under the
   * empty name. They are saved once this returns or resolves.
   */
  save(changed: ReadonlyMap<string, string>): void | Promise<void>;
  /**
   * Only where several processes simulate the same nodes: reports the changes of other processes,
   * then runs `act` and saves, while no other process does. Everything is saved when it returns or
   * resolves. After a NodeStatesError the outcome is unknown, and the next run reports all states.
   */
  alone?<T>(adopt: (changed: KeptStates) => void, act: () => T): T | Promise<T>;
}

/** The store could not be reached. */
export class NodeStatesError extends Error {
  override readonly name = "NodeStatesError";
}

/** Outlives the simulation and not the process: for tests of a restart. */
export function nodeStatesInMemory(): NodeStates {
  const kept = new Map<string, string>();
  return {
    load: () => parsedStates(kept),
    save(changed) {
      for (const [name, text] of changed) kept.set(name, text);
    },
  };
}

/** States from their saved texts by name. */
export function parsedStates(kept: ReadonlyMap<string, string>): KeptStates {
  const hosts: HostState[] = [];
  let shared: SharedState | undefined;
  for (const [name, text] of kept) {
    if (name === "") shared = JSON.parse(text) as SharedState;
    else hosts.push(JSON.parse(text) as HostState);
  }
  return { hosts, shared };
}

/** Store for the state of simulated nodes, so that it outlives the process that simulates them. */
import type { HostState, SharedState } from "./node-state.js";
import { hostOfName, withPart } from "./saved-host.js";

/** All saved states, by host name. */
export interface KeptStates {
  readonly hosts: readonly HostState[];
  readonly shared: SharedState | undefined;
}

/** Port to the storage of the states of simulated machines. */
export interface NodeStates {
  load(): KeptStates | Promise<KeptStates>;
  /**
   * Saves changed states: JSON of each host by name, and of the shared storage under the empty name. They are saved once
   * this returns or resolves.
   */
  save(changed: ReadonlyMap<string, string>): void | Promise<void>;
  /**
   * Whether parts of a host may be saved alone, under its name, a blank and their own name. A host saved as a whole
   * replaces its parts.
   */
  readonly hasParts?: boolean;
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
  const kept = new SavedTexts();
  return {
    hasParts: true,
    load: () => parsedStates(kept.all),
    save: (changed) => kept.enter(changed),
  };
}

/** Saved texts by name; a host saved as a whole replaces its parts. */
export class SavedTexts {
  readonly #byHost = new Map<string, Map<string, string>>();

  enter(changed: ReadonlyMap<string, string>): void {
    for (const [name, text] of changed) {
      const { host, path } = hostOfName(name);
      const texts = this.#byHost.get(host);
      if (path === undefined || texts === undefined)
        this.#byHost.set(host, new Map([[name, text]]));
      else texts.set(name, text);
    }
  }

  /** All texts; those of a host in the order in which they were entered first. */
  get all(): ReadonlyMap<string, string> {
    return new Map([...this.#byHost.values()].flatMap((texts) => [...texts]));
  }

  clear(): void {
    this.#byHost.clear();
  }
}

/** States from their saved texts by name; parts belong to hosts among them. */
export function parsedStates(kept: ReadonlyMap<string, string>): KeptStates {
  const hosts = new Map<string, HostState>();
  const shared = kept.get("");
  const parts: string[] = [];
  for (const [name, text] of kept) {
    if (name.includes(" ")) parts.push(name);
    else if (name !== "") hosts.set(name, JSON.parse(text) as HostState);
  }
  for (const name of parts) {
    const { host, path } = hostOfName(name);
    const whole = hosts.get(host);
    if (whole === undefined || path === undefined) continue;
    hosts.set(host, withPart(whole, JSON.parse(path), kept.get(name) as string));
  }
  return {
    hosts: [...hosts.values()],
    shared: shared === undefined ? undefined : (JSON.parse(shared) as SharedState),
  };
}

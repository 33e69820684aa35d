/** Store for the state of simulated nodes, so that it outlives the process that simulates them. */
import type { HostState, SharedState } from "./node-state.js";
import { hostOfName, withPart } from "./saved-host.js";

/** All saved states. */
export interface KeptStates {
  /**
   * Functions that read the state of a host, by its name; each call reads it again. A simulation of thousands of hosts can
   * start without reading them all. @throws NodeStatesError
   */
  readonly hosts: ReadonlyMap<string, () => HostState>;
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
    load: () => keptStates(kept.all),
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

/** States of hosts from saved texts by name; a part belongs to a host among them. */
export function keptStates(texts: ReadonlyMap<string, string>): KeptStates {
  const hosts = new Map<string, () => HostState>();
  const parts = new Map<string, (readonly [path: string, text: string])[]>();
  for (const [name, text] of texts) {
    if (name === "") continue;
    const { host, path } = hostOfName(name);
    if (path === undefined) {
      hosts.set(host, () => stateOf(host, text, parts.get(host)));
      continue;
    }
    const those = parts.get(host);
    if (those === undefined) parts.set(host, [[path, text]]);
    else those.push([path, text]);
  }
  const shared = texts.get("");
  return { hosts, shared: shared === undefined ? undefined : (JSON.parse(shared) as SharedState) };
}

function stateOf(
  name: string,
  text: string,
  parts: readonly (readonly [path: string, text: string])[] = [],
): HostState {
  try {
    return parts.reduce(
      (host, [path, part]) => withPart(host, JSON.parse(path), part),
      JSON.parse(text) as HostState,
    );
  } catch (error) {
    const text = `The state of the node ${name}: ${(error as Error).message}`;
    throw new NodeStatesError(text, { cause: error });
  }
}

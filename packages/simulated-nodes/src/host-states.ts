/** States of all simulated hosts in memory, saved to their port, if there is one, with every change. */
import type { HostState, SharedState } from "./node-state.js";
import type { KeptStates, NodeStates } from "./node-states.js";
import { SavedHost } from "./saved-host.js";

/** Receives hosts that a call has changed, to be saved. */
export interface Touched {
  add(host: HostState): unknown;
}

/** For calls after which nothing is saved. */
export const nothingTouched: Touched = { add: () => {} };

/** Hosts by name. A stored host is read at its first use. */
class Hosts {
  readonly #all = new Map<string, HostState | (() => HostState)>();

  has(name: string): boolean {
    return this.#all.has(name);
  }

  /** @throws NodeStatesError */
  get(name: string): HostState | undefined {
    const known = this.#all.get(name);
    if (typeof known !== "function") return known;
    const host = known();
    this.#all.set(name, host);
    return host;
  }

  set(name: string, host: HostState): void {
    this.#all.set(name, host);
  }

  enter(kept: KeptStates["hosts"]): void {
    for (const [name, read] of kept) this.#all.set(name, read);
  }
}

/** Hosts by name and the storage that they share; other processes may change both. */
export class HostStates {
  readonly hosts = new Hosts();
  readonly #port: NodeStates | undefined;
  #shared: SharedState;
  #sharedText: string;
  /** Hosts whose parts can be saved alone, by name. */
  readonly #saved = new Map<string, SavedHost>();
  /** The last save under way. */
  #saving: Promise<void> | undefined;

  /** @param begin the states of a simulation that saves none */
  static async open(
    port: NodeStates | undefined,
    begin: KeptStates = { hosts: new Map(), shared: undefined },
  ): Promise<HostStates> {
    const { hosts, shared } = (await port?.load()) ?? begin;
    const states = new HostStates(port, shared ?? { disks: {} });
    states.hosts.enter(hosts);
    return states;
  }

  private constructor(port: NodeStates | undefined, shared: SharedState) {
    this.#port = port;
    this.#shared = shared;
    this.#sharedText = JSON.stringify(shared);
  }

  /** Whether changes are saved: then everything has to go through `perform`. */
  get areSaved(): boolean {
    return this.#port !== undefined;
  }

  get shared(): SharedState {
    return this.#shared;
  }

  /** Acts at once; resolves when everything is saved that it touched, or may have seen. */
  async perform<T>(action: (touched: Set<HostState>) => T): Promise<T> {
    const act = () => {
      const touched = new Set<HostState>();
      const value = action(touched);
      return { value, kept: touched.size > 0 ? this.#keep(touched) : this.#saving };
    };
    const alone = this.#port?.alone;
    const { value, kept } = await (alone ? alone((changed) => this.#adopt(changed), act) : act());
    await kept;
    return value;
  }

  /** Adopts changes of other processes. */
  #adopt({ hosts, shared }: KeptStates): void {
    this.hosts.enter(hosts);
    if (shared === undefined) return;
    this.#shared = shared;
    this.#sharedText = JSON.stringify(shared);
  }

  #keep(touched: ReadonlySet<HostState>): void | Promise<void> {
    // Writing a whole host would cost more than most calls.
    if (this.#port === undefined) return;
    const texts = new Map<string, string>();
    for (const host of touched) this.#enter(host, texts);
    const shared = JSON.stringify(this.#shared);
    if (shared !== this.#sharedText) texts.set("", shared);
    this.#sharedText = shared;
    return texts.size === 0 ? this.#saving : this.#save(this.#port, texts);
  }

  /** The texts to save of a host that may have changed. */
  #enter(host: HostState, texts: Map<string, string>): void {
    const parts = this.#saved.get(host.name)?.changes(host);
    if (parts !== undefined) {
      for (const [name, text] of parts) texts.set(name, text);
      return;
    }
    const text = JSON.stringify(host);
    texts.set(host.name, text);
    if (this.#port?.hasParts) this.#saved.set(host.name, new SavedHost(host));
  }

  #save(port: NodeStates, texts: ReadonlyMap<string, string>): void | Promise<void> {
    // After an error it is unknown what the store has.
    const failed = (error: unknown): never => {
      this.#saved.clear();
      throw error;
    };
    let saving: void | Promise<void>;
    try {
      saving = port.save(texts);
    } catch (error) {
      return failed(error);
    }
    if (saving === undefined) return;
    const saved = saving.catch(failed).finally(() => {
      if (this.#saving === saved) this.#saving = undefined;
    });
    this.#saving = saved;
    return saved;
  }
}

/** States of all simulated hosts in memory, saved to their port, if there is one, with every change. */
import type { HostState, SharedState } from "./node-state.js";
import type { KeptStates, NodeStates } from "./node-states.js";

/** Hosts by name and the storage that they share; other processes may change both. */
export class HostStates {
  readonly hosts = new Map<string, HostState>();
  readonly #port: NodeStates | undefined;
  #shared: SharedState;
  #sharedText: string;

  /** @param begin the states of a simulation that saves none */
  static async open(
    port: NodeStates | undefined,
    begin: KeptStates = { hosts: [], shared: undefined },
  ): Promise<HostStates> {
    const { hosts, shared } = (await port?.load()) ?? begin;
    const states = new HostStates(port, shared ?? { disks: {} });
    for (const host of hosts) states.hosts.set(host.name, host);
    return states;
  }

  private constructor(port: NodeStates | undefined, shared: SharedState) {
    this.#port = port;
    this.#shared = shared;
    this.#sharedText = JSON.stringify(shared);
  }

  get shared(): SharedState {
    return this.#shared;
  }

  /** Acts at once; resolves when everything touched is saved. */
  async perform<T>(action: (touched: Set<HostState>) => T): Promise<T> {
    const act = () => {
      const touched = new Set<HostState>();
      const value = action(touched);
      return { value, kept: touched.size > 0 ? this.#keep(touched) : undefined };
    };
    const alone = this.#port?.alone;
    const { value, kept } = await (alone ? alone((changed) => this.#adopt(changed), act) : act());
    await kept;
    return value;
  }

  /** Adopts changes of other processes. */
  #adopt({ hosts, shared }: KeptStates): void {
    for (const host of hosts) this.hosts.set(host.name, host);
    if (shared === undefined) return;
    this.#shared = shared;
    this.#sharedText = JSON.stringify(shared);
  }

  #keep(touched: ReadonlySet<HostState>): void | Promise<void> {
    // Writing a whole host would cost more than most calls.
    if (this.#port === undefined) return;
    const texts = new Map([...touched].map((host) => [host.name, JSON.stringify(host)]));
    const shared = JSON.stringify(this.#shared);
    if (shared !== this.#sharedText) texts.set("", shared);
    this.#sharedText = shared;
    return this.#port.save(texts);
  }
}

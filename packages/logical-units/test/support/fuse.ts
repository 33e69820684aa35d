// A process that dies at a given effect: before it happens, or before its answer comes.
import type { ConfigStore } from "@ganeti-ts/config";
import type { NodeBackend } from "@ganeti-ts/node-calls";

export class Fuse {
  /** Effects so far. */
  count = 0;
  readonly #dies: { readonly at: number; readonly when: "before" | "after" };
  readonly #over: Promise<void>;
  #die = () => {};

  constructor(at: number, when: "before" | "after") {
    this.#dies = { at, when };
    this.#over = new Promise((resolve) => {
      this.#die = resolve;
    });
  }

  /** Resolves when the process is dead. */
  get over(): Promise<void> {
    return this.#over;
  }

  async #effect<T>(act: () => Promise<T>): Promise<T> {
    const number = ++this.count;
    const { at, when } = this.#dies;
    if (number > at || (number === at && when === "before")) return this.#dead();
    const answer = await act();
    return number === at || this.count > at ? this.#dead() : answer;
  }

  /** Nothing more ever happens. */
  #dead(): Promise<never> {
    this.#die();
    return new Promise(() => {});
  }

  store(inner: ConfigStore): ConfigStore {
    return {
      shared: inner.shared,
      load: () => inner.load(),
      commit: (commit) => this.#effect(() => inner.commit(commit)),
      changesSince: (serial) => inner.changesSince(serial),
      onNews: (listener) => inner.onNews(listener),
      close: () => inner.close(),
    };
  }

  nodes(inner: NodeBackend): NodeBackend {
    return {
      introduce: (node) => inner.introduce(node),
      call: (node, name, args, caller) => this.#effect(() => inner.call(node, name, args, caller)),
    };
  }
}

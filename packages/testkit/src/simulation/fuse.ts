/** Fuses: a process that dies at a given effect, or whose jobs are killed there, before the effect or before its answer. */
import type { ConfigStore } from "@ganeti-ts/config";
import { failed, type MasterHost, type NodeBackend } from "@ganeti-ts/node-calls";

/** Counts the effects of a process on the configuration and on nodes. */
abstract class Counted {
  protected abstract effect<T>(act: () => Promise<T>): Promise<T>;

  store(inner: ConfigStore): ConfigStore {
    return {
      shared: inner.shared,
      load: () => inner.load(),
      commit: (commit) => this.effect(() => inner.commit(commit)),
      changesSince: (serial) => inner.changesSince(serial),
      onNews: (listener) => inner.onNews(listener),
      close: () => inner.close(),
    };
  }

  nodes(inner: NodeBackend): NodeBackend {
    return {
      introduce: (node) => inner.introduce(node),
      call: (node, name, args, caller) => this.effect(() => inner.call(node, name, args, caller)),
    };
  }

  /** Only what happens to certificates is counted. */
  host(inner: MasterHost): MasterHost {
    const { make, tryOn, use, remove } = inner.secondCertificate;
    return {
      ...inner,
      renewNodeCertificate: (node) => this.effect(() => inner.renewNodeCertificate(node)),
      secondCertificate: {
        make: () => this.effect(() => make()),
        tryOn: (node) => this.effect(() => tryOn(node)),
        use: (digest) => this.effect(() => use(digest)),
        remove: () => this.effect(() => remove()),
      },
    };
  }
}

/** Kills the jobs of a process at an effect; the jobs decide about further effects. */
export class Killing extends Counted {
  wasReached = false;
  kill = async () => {};
  #count = 0;
  readonly #at: number;
  readonly #when: "before" | "after";

  constructor(at: number, when: "before" | "after") {
    super();
    this.#at = at;
    this.#when = when;
  }

  protected async effect<T>(act: () => Promise<T>): Promise<T> {
    const isIt = ++this.#count === this.#at;
    if (isIt) this.wasReached = true;
    if (isIt && this.#when === "before") await this.kill();
    const answer = await act();
    if (isIt && this.#when === "after") await this.kill();
    return answer;
  }

  /** Calls of a killed job are abandoned, as over a network. */
  override nodes(inner: NodeBackend): NodeBackend {
    const counted = super.nodes(inner);
    return {
      introduce: counted.introduce,
      call: async (node, name, args, caller) => {
        const answer = await counted.call(node, name, args, caller);
        return caller.signal.aborted ? failed("Call was given up") : answer;
      },
    };
  }
}

/** Loses the answer of one call to a node, which is carried out. */
export class LosingAnswer extends Counted {
  wasReached = false;
  #count = 0;
  readonly #at: number;

  constructor(at: number) {
    super();
    this.#at = at;
  }

  protected effect<T>(act: () => Promise<T>): Promise<T> {
    return act();
  }

  override nodes(inner: NodeBackend): NodeBackend {
    return {
      introduce: (node) => inner.introduce(node),
      call: async (node, name, args, caller) => {
        const answer = await inner.call(node, name, args, caller);
        if (++this.#count !== this.#at) return answer;
        this.wasReached = true;
        return failed("Connection reset by peer");
      },
    };
  }
}

/** Ends a process at an effect: neither that one (`before`) nor any later one gets an answer. */
export class Fuse extends Counted {
  /** Effects so far. */
  count = 0;
  readonly #dies: { readonly at: number; readonly when: "before" | "after" };
  readonly #over: Promise<void>;
  #die = () => {};

  constructor(at: number, when: "before" | "after") {
    super();
    this.#dies = { at, when };
    this.#over = new Promise((resolve) => {
      this.#die = resolve;
    });
  }

  /** Resolves when the process is dead. */
  get over(): Promise<void> {
    return this.#over;
  }

  protected async effect<T>(act: () => Promise<T>): Promise<T> {
    const number = ++this.count;
    const { at, when } = this.#dies;
    if (number > at || (number === at && when === "before")) return this.#dead();
    const answer = await act();
    return number === at || this.count > at ? this.#dead() : answer;
  }

  /** A promise that never settles. */
  #dead(): Promise<never> {
    this.#die();
    return new Promise(() => {});
  }
}

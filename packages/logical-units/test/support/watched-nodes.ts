// Nodes that record calls and return answers given by a test, for answers that simulated nodes
// never give.
import type { MasterHost, NodeAnswer, NodeCallName } from "@ganeti-ts/node-calls";
import type { TestNodes } from "./cluster.js";

/** `real` calls the node itself. */
type Answer = (node: string, args: never, real: () => Promise<never>) => unknown;

/** Answers by the name of the call; a thrown error becomes the message of a failure. */
export type Answers = { readonly [Name in NodeCallName]?: Answer };

export class WatchedNodes implements TestNodes {
  /** All calls in order, as `node call`. */
  readonly asked: string[] = [];
  readonly #nodes: TestNodes;
  readonly #answers: Answers;

  constructor(nodes: TestNodes, answers: Answers = {}) {
    this.#nodes = nodes;
    this.#answers = answers;
  }

  masterHost(master: () => string): MasterHost {
    const host = this.#nodes.masterHost?.(master);
    if (host === undefined) throw new Error("no machine of the server");
    return host;
  }

  introduce: TestNodes["introduce"] = (node) => this.#nodes.introduce(node);

  call: TestNodes["call"] = async (node, name, args, caller) => {
    // Left out, because every opcode looks for hook scripts.
    if (name !== "hooks_runner") this.asked.push(`${node} ${name}`);
    const answer = this.#answers[name] as Answer | undefined;
    if (answer === undefined) return this.#nodes.call(node, name, args, caller);
    const real = async () => {
      const told = await this.#nodes.call(node, name, args, caller);
      if (!told.ok) throw new Error(told.message);
      return told.value as never;
    };
    try {
      return { ok: true, value: await answer(node, args as never, real) } as NodeAnswer<never>;
    } catch (error) {
      return { ok: false, offline: false, message: (error as Error).message };
    }
  };
}

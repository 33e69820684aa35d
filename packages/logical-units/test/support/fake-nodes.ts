// Nodes that do what a test says: every call succeeds with an empty answer unless told otherwise.
import type { NodeAnswer, NodeBackend, NodeCallName } from "../../src/index.js";

type Answer = (node: string, args: never) => unknown;

/** Answers by the name of the call; what is thrown is the message of a failure. */
export type Answers = { readonly [Name in NodeCallName]?: Answer };

export class FakeNodes implements NodeBackend {
  /** `node call` of everything asked, in order. */
  readonly asked: string[] = [];
  answers: Answers;

  constructor(answers: Answers = {}) {
    this.answers = answers;
  }

  async introduce(): Promise<void> {
    // Every node is known.
  }

  async call(node: string, name: NodeCallName, args: unknown): Promise<NodeAnswer<never>> {
    // Nobody has put scripts, mirrors or files on them.
    if (name === "hooks_runner") return { ok: true, value: [] as never };
    if (name === "drbd_list") return { ok: true, value: [] as never };
    if (name === "read_files") return { ok: true, value: {} as never };
    this.asked.push(`${node} ${name}`);
    try {
      const value = this.answers[name]?.(node, args as never) ?? null;
      return { ok: true, value: (await value) as never };
    } catch (error) {
      return { ok: false, offline: false, message: (error as Error).message };
    }
  }
}

/**
 * Nodes that are told whose calls to refuse: workers that were found dead may only be standing still, and their
 * calls may be under way.
 *
 * Nodes that can be reached are told before what a dead worker had is given on. Those that cannot be reached then
 * are told with the next call to them, by whoever makes it: first the leases, then the call, and no call where
 * they do not get through. So nobody who was given what the dead had finds the dead acting on the same node.
 */
import type { CancelSignal } from "@ganeti-ts/protocol";
import type { NodeCallArguments, NodeCallName, NodeCallValue } from "./call-types.js";
import type { Fence } from "./fence.js";
import { noSignal } from "./no-signal.js";
import type { NodeAnswer } from "./node-answer.js";
import type { NodeAddress, NodeBackend, NodeCaller } from "./node-backend.js";

/** So many nodes are told at a time. */
const toldAtOnce = 32;

export interface RefusingNodesPorts {
  readonly nodes: NodeBackend;
  readonly fence: Fence;
  /** UUIDs of the nodes that are to be told at once: all that are not offline. */
  readonly reachable: () => Iterable<string>;
}

export class RefusingNodes implements NodeBackend {
  readonly #ports: RefusingNodesPorts;
  readonly #leases = new Set<string>();
  /** How many of the leases, the first ones, each node has been told of. */
  readonly #toldOf = new Map<string, number>();

  constructor(ports: RefusingNodesPorts) {
    this.#ports = ports;
  }

  introduce(node: NodeAddress): Promise<void> {
    return this.#ports.nodes.introduce(node);
  }

  async call<Name extends NodeCallName>(
    node: string,
    name: Name,
    args: NodeCallArguments<Name>,
    caller: NodeCaller,
  ): Promise<NodeAnswer<NodeCallValue<Name>>> {
    if ((this.#toldOf.get(node) ?? 0) < this.#leases.size) {
      const answer = await this.#tell(node, caller.signal);
      if (!answer.ok) return answer;
    }
    return this.#ports.nodes.call(node, name, args, caller);
  }

  learnFenced(leases: readonly string[]): void {
    for (const lease of leases) this.#leases.add(lease);
  }

  /** O(nodes) calls. Resolves when every node has answered, or could not be reached. */
  async refuse(lease: string): Promise<void> {
    this.#leases.add(lease);
    const nodes = [...this.#ports.reachable()];
    const tellNext = async (): Promise<void> => {
      for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
        await this.#tell(node, noSignal);
      }
    };
    await Promise.all(Array.from({ length: toldAtOnce }, tellNext));
  }

  /** All at once: a node that was away for long may have missed many. */
  async #tell(node: string, signal: CancelSignal): Promise<NodeAnswer<null>> {
    const count = this.#leases.size;
    const leases = [...this.#leases].slice(this.#toldOf.get(node) ?? 0);
    const answer = await this.#ports.fence.fence(node, leases, signal);
    if (answer.ok) this.#toldOf.set(node, Math.max(count, this.#toldOf.get(node) ?? 0));
    return answer;
  }
}

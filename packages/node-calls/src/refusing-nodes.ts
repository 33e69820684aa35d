/**
 * Fencing proxy before nodes, which makes them refuse calls of dead workers.
 *
 * A worker declared dead may only be paused, and its calls may be under way. Reachable nodes learn
 * its lease before its locks and jobs are reassigned. Other nodes learn it with the next call from
 * any server: the lease is sent first, and the call is not made if that fails. So a dead worker and
 * its successor never act on the same node at the same time.
 */
import type { CancelSignal } from "@ganeti-ts/protocol";
import { noSignal } from "@ganeti-ts/protocol";
import type { NodeCallArguments, NodeCallName, NodeCallValue } from "./call-types.js";
import type { Fence } from "./fence.js";
import type { NodeAnswer } from "./node-answer.js";
import type { NodeAddress, NodeBackend, NodeCaller } from "./node-backend.js";

/** Maximum number of nodes fenced in parallel. */
const fencedAtOnce = 32;

/** Ports of `RefusingNodes`: the back end, its fence and the nodes to fence immediately. */
interface RefusingNodesPorts {
  readonly nodes: NodeBackend;
  readonly fence: Fence;
  /** UUIDs of the nodes to fence immediately: all that are not offline. */
  readonly reachable: () => Iterable<string>;
}

/** A back end whose nodes refuse the calls of fenced leases: a node gets the leases before its next call. */
export class RefusingNodes implements NodeBackend {
  readonly #ports: RefusingNodesPorts;
  readonly #leases = new Set<string>();
  /** For each node, how many of the first leases it has acknowledged. */
  readonly #acknowledged = new Map<string, number>();

  constructor(ports: RefusingNodesPorts) {
    this.#ports = ports;
  }

  introduce(node: NodeAddress): Promise<void> {
    return this.#ports.nodes.introduce(node);
  }

  /** Without a promise of its own for nodes that know all leases, which are nearly all calls. */
  call<Name extends NodeCallName>(
    node: string,
    name: Name,
    args: NodeCallArguments<Name>,
    caller: NodeCaller,
  ): Promise<NodeAnswer<NodeCallValue<Name>>> {
    const { nodes } = this.#ports;
    if ((this.#acknowledged.get(node) ?? 0) >= this.#leases.size) {
      return nodes.call(node, name, args, caller);
    }
    return this.#tell(node, caller.signal).then((answer) =>
      answer.ok ? nodes.call(node, name, args, caller) : answer,
    );
  }

  learnFenced(leases: readonly string[]): void {
    for (const lease of leases) this.#leases.add(lease);
  }

  /** O(nodes) calls. Resolves when every node has answered or has proved unreachable. */
  async refuse(lease: string): Promise<void> {
    this.#leases.add(lease);
    const nodes = [...this.#ports.reachable()];
    const fenceNext = async (): Promise<void> => {
      for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
        await this.#tell(node, noSignal);
      }
    };
    await Promise.all(Array.from({ length: fencedAtOnce }, fenceNext));
  }

  /** All leases in one call: a node that was away for long may have missed many. */
  async #tell(node: string, signal: CancelSignal): Promise<NodeAnswer<null>> {
    const count = this.#leases.size;
    const leases = [...this.#leases].slice(this.#acknowledged.get(node) ?? 0);
    const answer = await this.#ports.fence.fence(node, leases, signal);
    if (answer.ok) this.#acknowledged.set(node, Math.max(count, this.#acknowledged.get(node) ?? 0));
    return answer;
  }
}

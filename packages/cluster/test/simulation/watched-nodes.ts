// Observed nodes of one server: a node completes its operation even if the caller has stopped waiting.
import { type Claim, leaseText } from "@ganeti-ts/job-queue";
import { failed, type NodeAnswer, type NodeBackend } from "@ganeti-ts/node-calls";
import type { CancelSignal, NodeUuid } from "@ganeti-ts/protocol";
import { noSignal } from "@ganeti-ts/protocol";
import type { World } from "./simulate.js";

/** Checks that nodes which were always reachable and not offline refuse calls of a worker that was declared dead. */
export const watchedNodes = (world: World, claim: Claim): NodeBackend => ({
  introduce: (node) => world.nodes.introduce(node),
  call: (node, name, args, { lease, signal }) => {
    world.dumped.sees(name, args);
    const done = world.nodes.call(node, name, args, { lease, signal: noSignal });
    // Calls without a lease only read.
    if (lease !== "") {
      void done.then(({ ok }) => {
        if (!world.jobs.isBuried(claim)) return;
        world.counts.late++;
        // An offline node is notified only by the next call of a living server.
        const isAway =
          world.snapshot.node(node as NodeUuid)?.offline || world.unreachableSince.has(node);
        if (ok && !isAway) {
          world.broken("the buried do nothing", `${name} of worker ${leaseText(claim)}`);
        }
      });
    }
    return unlessGivenUp(done, signal);
  },
});

function unlessGivenUp<T>(
  done: Promise<NodeAnswer<T>>,
  signal: CancelSignal,
): Promise<NodeAnswer<T>> {
  return new Promise((resolve) => {
    const giveUp = () => resolve(failed("Call was given up"));
    if (signal.aborted) giveUp();
    signal.addEventListener("abort", giveUp);
    void done.then(resolve).finally(() => signal.removeEventListener("abort", giveUp));
  });
}

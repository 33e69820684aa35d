/** Live data of many instances, collected in the order in which a list shows them. */
import type { Snapshot } from "@ganeti-ts/config";
import { markedOffline, type NodeBackend, type NodeCaller } from "@ganeti-ts/node-calls";
import type { InstanceObject, NodeObject, NodeUuid } from "@ganeti-ts/protocol";
import { type LiveData, primariesOf, type RunningOnNode, sightingsIn } from "./live-data.js";

/** Limits on calls to nodes. */
export interface AskingOptions {
  /** Maximum number of calls at a time. */
  readonly concurrency: number;
  /** Called before each call; a promise is waited for, so that other work runs in between. */
  readonly turn: () => Promise<void> | undefined;
}

/** Live data of the instances of a list while they are being collected. */
export interface LiveInOrder {
  /** Only for instances that are ready; nothing but sightings. */
  readonly live: LiveData;
  /**
   * Resolves when everything about the instances from `start` up to `end` has been collected; undefined if it has. An
   * instance that does not run on its primary node may run on any other one.
   */
  readonly ready: (
    instances: readonly InstanceObject[],
    start: number,
    end: number,
  ) => Promise<void> | undefined;
}

/** Begins to ask the primary nodes of all instances, each once. The same sightings as those of `collectLive`. */
export function collectInOrder(
  backend: NodeBackend,
  caller: NodeCaller,
  now: Snapshot,
  instances: readonly InstanceObject[],
  { concurrency, turn }: AskingOptions,
): LiveInOrder {
  const { asked, hypervisors } = primariesOf(now, instances);
  const answers = new Map<NodeUuid, RunningOnNode>();
  /** Functions to call when a node has answered. */
  const waiting = new Map<NodeUuid, () => void>();
  const ask = async (node: NodeObject): Promise<void> => {
    const answer = node.offline
      ? markedOffline
      : await backend.call(node.uuid, "all_instances_info", { hypervisors }, caller);
    answers.set(node.uuid, answer);
    waiting.get(node.uuid)?.();
  };
  const whole = eachInTurn(asked, concurrency, turn, ask);
  const answerOf = (node: NodeUuid): Promise<void> =>
    new Promise((resolve) => {
      const others = waiting.get(node);
      waiting.set(node, () => {
        others?.();
        resolve();
      });
    });
  /** A primary node that is in no configuration is not asked. */
  const isMissing = ({ forthcoming, primary_node: node }: InstanceObject): boolean =>
    !forthcoming && !answers.has(node) && now.node(node) !== undefined;
  const isElsewhere = ({ forthcoming, primary_node, name }: InstanceObject): boolean => {
    if (forthcoming || answers.size === asked.length) return false;
    const answer = answers.get(primary_node);
    return !(answer?.ok && Object.hasOwn(answer.value, name));
  };
  const wait = async (some: readonly InstanceObject[]): Promise<void> => {
    for (const one of some) if (isMissing(one)) await answerOf(one.primary_node as NodeUuid);
    if (some.some(isElsewhere)) await whole;
  };
  return {
    live: {
      node: () => markedOffline,
      instance: sightingsIn({
        get: (node) => answers.get(node),
        values: () => asked.flatMap(({ uuid }) => answers.get(uuid) ?? []),
      }),
      console: () => undefined,
    },
    ready: (list, start, end) => {
      for (let at = start; at < end; at++) {
        const one = list[at] as InstanceObject;
        if (isMissing(one) || isElsewhere(one)) return wait(list.slice(start, end));
      }
      return undefined;
    },
  };
}

/** Resolves when all are done; at most `concurrency` at the same time. */
async function eachInTurn<Item>(
  items: readonly Item[],
  concurrency: number,
  turn: AskingOptions["turn"],
  act: (item: Item) => Promise<void>,
): Promise<void> {
  let next = 0;
  const work = async () => {
    while (next < items.length) {
      const over = turn();
      if (over !== undefined) await over;
      const item = items[next++];
      if (item !== undefined) await act(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, work));
}

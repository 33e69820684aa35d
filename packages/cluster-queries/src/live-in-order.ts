/** Live data of many instances, collected in the order in which a list shows them. */
import type { Snapshot } from "@ganeti-ts/config";
import { markedOffline, type NodeBackend, type NodeCaller } from "@ganeti-ts/node-calls";
import type { InstanceObject, NodeObject, NodeUuid } from "@ganeti-ts/protocol";
import {
  hypervisorsOf,
  hypervisorsToAsk,
  type LiveData,
  primariesOf,
  type RunningOnNode,
  sightingsIn,
} from "./live-data.js";

/** Limits on calls to nodes. */
export interface AskingOptions {
  /** Maximum number of calls at a time. */
  readonly concurrency: number;
  /** Called before each call; a promise is waited for, so that other work runs in between. */
  readonly turn: () => Promise<void> | undefined;
}

/** Asking for the instances of a list. */
export interface InstanceAskingOptions extends AskingOptions {
  /** Names of all hypervisors that the instances use; found by looking at each of them if absent. */
  readonly hypervisors?: Iterable<string>;
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
  /** No further node is asked; whoever waits for one waits for ever. */
  readonly stop: () => void;
}

/**
 * Begins to ask the primary nodes of all instances, each once. The same sightings as those of `collectLive`. The nodes of
 * an instance are found when it is their turn, so that the first answers do not wait for a look at all instances.
 */
export function collectInOrder(
  backend: NodeBackend,
  caller: NodeCaller,
  now: Snapshot,
  instances: readonly InstanceObject[],
  { concurrency, turn, hypervisors: used }: InstanceAskingOptions,
): LiveInOrder {
  const hypervisors = hypervisorsToAsk(now, used ?? hypervisorsOf(instances));
  /** In the order of the questions. */
  const asked: NodeUuid[] = [];
  let isWhole = false;
  let isStopped = false;
  const answers = new Map<NodeUuid, RunningOnNode>();
  /** Functions to call when a node has answered. */
  const waiting = new Map<NodeUuid, () => void>();
  const ask = async (node: NodeObject): Promise<void> => {
    asked.push(node.uuid);
    const answer = node.offline
      ? markedOffline
      : await backend.call(node.uuid, "all_instances_info", { hypervisors }, caller);
    answers.set(node.uuid, answer);
    waiting.get(node.uuid)?.();
  };
  function* nodes(): Generator<NodeObject> {
    for (const node of primariesOf(now, instances)) {
      if (isStopped) return;
      yield node;
    }
  }
  const whole = eachInTurn(nodes(), concurrency, turn, ask).then(() => {
    isWhole = !isStopped;
  });
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
    if (forthcoming || isWhole) return false;
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
        values: () => asked.flatMap((uuid) => answers.get(uuid) ?? []),
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
    stop: () => {
      isStopped = true;
    },
  };
}

/** Resolves when all are done; at most `concurrency` at the same time. */
async function eachInTurn<Item>(
  items: Iterator<Item>,
  concurrency: number,
  turn: AskingOptions["turn"],
  act: (item: Item) => Promise<void>,
): Promise<void> {
  let isOver = false;
  const work = async () => {
    while (!isOver) {
      for (let over = turn(); over !== undefined; over = turn()) await over;
      const { done, value } = items.next();
      if (done) isOver = true;
      else await act(value);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}

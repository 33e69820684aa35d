/** Live data of many instances or nodes, collected in the order in which a list shows them. */
import type { Snapshot } from "@ganeti-ts/config";
import {
  markedOffline,
  type NodeAnswer,
  type NodeBackend,
  type NodeCaller,
  type NodeInformation,
} from "@ganeti-ts/node-calls";
import type { InstanceObject, NodeObject, NodeUuid } from "@ganeti-ts/protocol";
import {
  askNode,
  hypervisorsOf,
  hypervisorsToAsk,
  type LiveData,
  type LiveNeed,
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
interface InstanceAskingOptions extends AskingOptions {
  /** Names of all hypervisors that the instances use; found by looking at each of them if absent. */
  readonly hypervisors?: Iterable<string>;
}

/** Live data of the items of a list while they are being collected. */
export interface LiveInOrder<Item = InstanceObject> {
  /** Only for items that are ready; nothing but what their list shows. */
  readonly live: LiveData;
  /**
   * Resolves when everything about the items from `start` up to `end` has been collected; undefined if it has. An
   * instance that does not run on its primary node may run on any other one.
   */
  readonly ready: (items: readonly Item[], start: number, end: number) => Promise<void> | undefined;
  /** Calls no further node. Promises of `ready` that need one never resolve. */
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
  const { answers, asked, answerOf, whole, isWhole, stop } = askInOrder<RunningOnNode>(
    primariesOf(now, instances),
    { concurrency, turn },
    ({ uuid }) => backend.call(uuid, "all_instances_info", { hypervisors }, caller),
  );
  /** A primary node that is in no configuration is not asked. */
  const isMissing = ({ forthcoming, primary_node: node }: InstanceObject): boolean =>
    !forthcoming && !answers.has(node) && now.node(node) !== undefined;
  const isElsewhere = ({ forthcoming, primary_node, name }: InstanceObject): boolean => {
    if (forthcoming || isWhole()) return false;
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
    stop,
  };
}

/** Begins to ask the nodes of a list for the figures that it shows. The same answers as those of `collectLive`. */
export function collectNodesInOrder(
  backend: NodeBackend,
  caller: NodeCaller,
  now: Snapshot,
  nodes: readonly NodeObject[],
  options: AskingOptions,
): LiveInOrder<NodeObject> {
  const { answers, answerOf, stop } = askInOrder<NodeAnswer<NodeInformation>>(
    nodes[Symbol.iterator](),
    options,
    (node) => askNode(backend, caller, now, node, figuresOfLists),
  );
  const wait = async (some: readonly NodeObject[]): Promise<void> => {
    for (const { uuid } of some) if (!answers.has(uuid)) await answerOf(uuid);
  };
  return {
    live: {
      node: (uuid) => answers.get(uuid) ?? markedOffline,
      instance: () => ({ ok: true, value: undefined }),
      console: () => undefined,
    },
    ready: (list, start, end) => {
      for (let at = start; at < end; at++) {
        if (!answers.has((list[at] as NodeObject).uuid)) return wait(list.slice(start, end));
      }
      return undefined;
    },
    stop,
  };
}

const figuresOfLists: ReadonlySet<LiveNeed> = new Set(["hypervisor", "storage"]);

/** Calls to nodes that are under way. */
interface Asking<Answer> {
  readonly answers: ReadonlyMap<NodeUuid, Answer | typeof markedOffline>;
  /** In the order of the questions. */
  readonly asked: readonly NodeUuid[];
  /** Resolves when that node has answered. */
  readonly answerOf: (node: NodeUuid) => Promise<void>;
  /** Resolves when all have, or asking has been stopped. */
  readonly whole: Promise<void>;
  readonly isWhole: () => boolean;
  readonly stop: () => void;
}

/** Asks nodes one after the other as there is room; those that are marked offline are not called. */
function askInOrder<Answer>(
  nodes: Iterator<NodeObject>,
  { concurrency, turn }: AskingOptions,
  call: (node: NodeObject) => Promise<Answer>,
): Asking<Answer> {
  const answers = new Map<NodeUuid, Answer | typeof markedOffline>();
  const asked: NodeUuid[] = [];
  /** Functions to call when a node has answered. */
  const waiting = new Map<NodeUuid, () => void>();
  let isWhole = false;
  let isStopped = false;
  const next = () => (isStopped ? undefined : nodes.next().value || undefined);
  const whole = eachInTurn(next, concurrency, turn, async (node) => {
    asked.push(node.uuid);
    answers.set(node.uuid, node.offline ? markedOffline : await call(node));
    waiting.get(node.uuid)?.();
  }).then(() => {
    isWhole = !isStopped;
  });
  return {
    answers,
    asked,
    answerOf: (node) =>
      new Promise((resolve) => {
        const others = waiting.get(node);
        waiting.set(node, () => {
          others?.();
          resolve();
        });
      }),
    whole,
    isWhole: () => isWhole,
    stop: () => {
      isStopped = true;
    },
  };
}

/** Resolves when all are done; at most `concurrency` at the same time. */
async function eachInTurn<Item>(
  next: () => Item | undefined,
  concurrency: number,
  turn: AskingOptions["turn"],
  act: (item: Item) => Promise<void>,
): Promise<void> {
  const work = async () => {
    for (;;) {
      for (let over = turn(); over !== undefined; over = turn()) await over;
      const item = next();
      if (item === undefined) return;
      await act(item);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}

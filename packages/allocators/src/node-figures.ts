/** Figures of nodes, kept no longer than a bound, and refreshed in the background while they are used. */
import type { Configuration, ConfigurationStep, Snapshot } from "@ganeti-ts/config";
import type { NodeBackend, NodeCaller } from "@ganeti-ts/node-calls";
import type { NodeObject, NodeUuid, Random, Timers } from "@ganeti-ts/protocol";
import { noSignal } from "@ganeti-ts/protocol";
import { DueTimes } from "./due-times.js";
import { LiveFigures } from "./live-figures.js";
import {
  hasFigures,
  isSame,
  type LiveArguments,
  type LiveNode,
  type LiveQuestion,
  liveArguments,
  liveNode,
} from "./live-nodes.js";
import { StorageClaims, type StorageKind, storageKind } from "./storage-claims.js";

/** How figures are kept. */
export interface FiguresOptions {
  /** Figures older than this (ms) are queried before they are used; 0 queries all nodes for each request. */
  readonly ageMaxMs: number;
  /** Maximum number of nodes queried concurrently in the background. Default 8. */
  readonly concurrency?: number;
}

/** Ports of kept figures. */
interface FiguresPorts {
  readonly nodes: NodeBackend;
  readonly clock: Timers;
  readonly random: Random;
}

/** Figures of all nodes for one kind of question. */
interface FiguresSet {
  readonly question: LiveQuestion;
  /** Arguments of its calls, with the cluster object that they were made from. */
  asking: { readonly cluster: Snapshot["cluster"]; readonly args: LiveArguments } | undefined;
  readonly kind: StorageKind;
  /** Reported figures, with the time of the query. */
  readonly reported: Map<NodeUuid, Reported>;
  /** Reported figures minus later claims; the same object as long as nothing changes. */
  readonly live: LiveFigures;
  /** The last snapshot all of whose nodes had figures, and a time that none of these is older than. */
  complete: { readonly now: Snapshot; readonly askedAt: number } | undefined;
  /** Latest times of the next background queries. */
  readonly dueTimes: DueTimes;
  /** Nodes to be queried by the background. */
  readonly waiting: Set<NodeUuid>;
  usedAt: number;
}

interface Reported {
  readonly figures: LiveNode;
  readonly askedAt: number;
  /** Time of the latest query, which may not have been answered yet. */
  readonly lastAskedAt: number;
  /** Position of the query in the order of queries and changes. */
  readonly order: number;
}

/**
 * Share of the maximum age at which nodes are queried in the background; each node a little earlier, at random. The rest
 * leaves time for the check for due nodes, and for slow answers.
 */
const dueShare = 0.8;
const jitterShare = 0.2;
/** Interval of the check for due nodes, as a share of the maximum age. */
const tickShare = 0.05;
/**
 * Minimum time (ms) between two queries of a node for instances that only take more of it: their use is known from the
 * configuration, and many creations on few nodes would cause mostly queries.
 */
const gapMs = 1000;
/** Number of maximum ages after which unused figures are no longer refreshed. */
const idleAges = 10;

/** Caller of background calls, which belong to no job. */
const background: NodeCaller = { lease: "", signal: noSignal };

/**
 * Figures of nodes for allocators, by kind of storage and hypervisor. A node is queried at once when an instance on it
 * changes, or a second later if the instance only takes more and the node was queried just before; else at a random
 * time before its figures are too old. The background looks for nodes that are due every twentieth of the maximum age,
 * O(nodes that are due). Figures that are not used are not refreshed.
 */
export class NodeFigures {
  readonly #ports: FiguresPorts;
  readonly #ageMaxMs: number;
  readonly #concurrency: number;
  readonly #sets = new Map<string, FiguresSet>();
  readonly #claims = new StorageClaims();
  #snapshot: (() => Snapshot) | undefined;
  #running = 0;
  /** Number of changes and queries so far. */
  #order = 0;
  /** Nodes to be queried when the gap has passed. */
  readonly #soon = new Set<NodeUuid>();
  #isWaiting = false;
  #stopTimer = () => {};
  #stopGap = () => {};
  #isStopped = false;

  constructor(ports: FiguresPorts, { ageMaxMs, concurrency = 8 }: FiguresOptions) {
    this.#ports = ports;
    this.#ageMaxMs = ageMaxMs;
    this.#concurrency = concurrency;
  }

  /**
   * Follows the configuration: nodes of changed instances are queried at once, and the others before their figures
   * are too old. Returns a function that ends it.
   */
  follow(config: Pick<Configuration, "snapshot" | "onChange">): () => void {
    this.#snapshot = () => config.snapshot;
    const leave = config.onChange((step) => this.#noteStep(step));
    const tick = () => {
      if (this.#isStopped) return;
      this.#queueDue();
      this.#stopTimer = this.#ports.clock.after(this.#ageMaxMs * tickShare, tick);
    };
    tick();
    return () => {
      this.#isStopped = true;
      this.#stopTimer();
      this.#stopGap();
      leave();
    };
  }

  /** Queries nodes whose figures an operation may have changed. */
  touch(nodes: Iterable<NodeUuid>): void {
    const used = [...this.#sets.values()].filter((set) => this.#isUsed(set));
    for (const node of nodes) {
      for (const { reported, waiting } of used) if (reported.has(node)) waiting.add(node);
    }
    this.#askWaiting();
  }

  /** Marks figures of nodes as wrong: the nodes are queried before the figures are used again. */
  doubt(nodes: Iterable<NodeUuid>): void {
    for (const node of nodes) {
      for (const set of this.#sets.values()) {
        const known = set.reported.get(node);
        if (known === undefined) continue;
        set.reported.set(node, { ...known, askedAt: -Infinity });
        set.complete = undefined;
      }
    }
  }

  /** Like `touch`, but nodes that were queried just before are queried after the gap. */
  #touchSoon(nodes: Iterable<NodeUuid>): void {
    const recent = this.#ports.clock.now() - gapMs;
    const rested: NodeUuid[] = [];
    for (const node of nodes) {
      if (this.#wasAskedAfter(node, recent)) this.#soon.add(node);
      else rested.push(node);
    }
    this.touch(rested);
    if (this.#soon.size === 0 || this.#isWaiting) return;
    this.#isWaiting = true;
    this.#stopGap = this.#ports.clock.after(gapMs, () => {
      this.#isWaiting = false;
      const due = [...this.#soon];
      this.#soon.clear();
      this.touch(due);
    });
  }

  #wasAskedAfter(node: NodeUuid, time: number): boolean {
    for (const { reported, waiting } of this.#sets.values()) {
      if (waiting.has(node)) return true;
      const { lastAskedAt = -Infinity } = reported.get(node) ?? {};
      if (lastAskedAt > time) return true;
    }
    return false;
  }

  /**
   * Figures no older than the maximum age, minus later claims; missing ones are queried. O(changed nodes); O(nodes)
   * lookups when the oldest figures of the previous call have become too old. @throws ExecError if a node does not answer
   */
  async of(
    now: Snapshot,
    caller: NodeCaller,
    question: LiveQuestion,
  ): Promise<ReadonlyMap<NodeUuid, LiveNode>> {
    const set = this.#setFor(now, question);
    const { clock, nodes } = this.#ports;
    set.usedAt = clock.now();
    const oldest = set.usedAt - this.#ageMaxMs;
    const missing: NodeObject[] = [];
    let askedAt = set.usedAt;
    const known = set.complete;
    const isKnown = known !== undefined && known.askedAt >= oldest;
    for (const node of isKnown ? changedNodes(known.now, now) : now.nodes()) {
      const reported = set.reported.get(node.uuid)?.askedAt ?? -1;
      if (!hasFigures(node)) set.live.delete(node.uuid);
      else if (!(reported >= oldest) || !set.live.has(node.uuid)) missing.push(node);
      else if (reported < askedAt) askedAt = reported;
    }
    if (isKnown) askedAt = Math.min(askedAt, known.askedAt);
    if (missing.length > 0) {
      const asked = { askedAt: clock.now(), order: ++this.#order };
      const asking = { now, nodes, caller, args: this.#argumentsOf(set, now) };
      const answers = missing.map((node) =>
        liveNode(asking, node, set.reported.get(node.uuid)?.figures),
      );
      for (const [at, figures] of (await Promise.all(answers)).entries()) {
        this.#enter(set, (missing[at] as NodeObject).uuid, { figures, ...asked });
      }
    }
    set.complete = { now, askedAt };
    return set.live;
  }

  /** The set of figures for a kind of storage and a hypervisor. */
  #setFor({ cluster }: Snapshot, { diskTemplate, hypervisor }: LiveQuestion): FiguresSet {
    const template = diskTemplate ?? cluster.enabled_disk_templates[0];
    const kind = storageKind(template);
    const name = hypervisor ?? cluster.enabled_hypervisors[0];
    const { volume_group_name, file_storage_dir, enabled_hypervisors } = cluster;
    const key = JSON.stringify([
      ...[kind, name, volume_group_name, file_storage_dir, enabled_hypervisors],
    ]);
    let set = this.#sets.get(key);
    if (set === undefined) {
      const question = { diskTemplate: template, hypervisor: name };
      set = {
        question,
        asking: undefined,
        kind,
        reported: new Map(),
        live: new LiveFigures(),
        complete: undefined,
        dueTimes: new DueTimes(this.#ageMaxMs * tickShare),
        waiting: new Set<NodeUuid>(),
        usedAt: 0,
      };
      this.#sets.set(key, set);
    }
    return set;
  }

  #enter(set: FiguresSet, node: NodeUuid, answer: Omit<Reported, "lastAskedAt">): void {
    const { random } = this.#ports;
    const share = dueShare - jitterShare * random.fraction();
    const known = set.reported.get(node);
    if (known !== undefined && known.order > answer.order) return;
    set.dueTimes.set(node, answer.askedAt + share * this.#ageMaxMs);
    set.reported.set(node, { lastAskedAt: answer.askedAt, ...answer });
    this.#setLive(set, node);
    this.#claims.forget(node, () => this.#oldestOrder(node));
  }

  #oldestOrder(node: NodeUuid): number {
    let oldest = Infinity;
    for (const { reported } of this.#sets.values()) {
      oldest = Math.min(oldest, reported.get(node)?.order ?? Infinity);
    }
    return oldest;
  }

  #setLive(set: FiguresSet, node: NodeUuid): void {
    const reported = set.reported.get(node);
    if (reported === undefined) return;
    const { figures, order } = reported;
    const claimed = this.#claims.since(node, set.kind, order);
    const live =
      claimed === 0 ? figures : { ...figures, diskFreeMib: figures.diskFreeMib - claimed };
    const before = set.live.get(node);
    if (before !== undefined && isSame(before, live)) return;
    set.live.set(node, live);
  }

  #noteStep({ before, after, changes }: ConfigurationStep): void {
    const order = ++this.#order;
    const uuids = new Set<string>();
    for (const change of changes) {
      if (change.kind === "cluster") continue;
      const uuid = change.kind === "put" ? change.object.uuid : change.uuid;
      if (change.type === "instance" || change.type === "claim") uuids.add(uuid);
      if (change.type !== "disk") continue;
      for (const snapshot of [before, after]) {
        const owner = snapshot.instanceOfDisk(uuid as Parameters<Snapshot["disk"]>[0]);
        if (owner !== undefined) uuids.add(owner.uuid);
      }
    }
    const concerned = new Set<NodeUuid>();
    const released = new Set<NodeUuid>();
    for (const uuid of uuids) {
      const noted = this.#claims.note(before, after, uuid, order);
      for (const node of noted.nodes) concerned.add(node);
      for (const node of noted.released) released.add(node);
    }
    for (const node of concerned) {
      for (const set of this.#sets.values()) this.#setLive(set, node);
    }
    this.touch(released);
    this.#touchSoon([...concerned].filter((node) => !released.has(node)));
  }

  #isUsed({ usedAt }: FiguresSet): boolean {
    return usedAt >= this.#ports.clock.now() - idleAges * this.#ageMaxMs;
  }

  /** O(nodes that are due). */
  #queueDue(): void {
    const time = this.#ports.clock.now();
    for (const set of this.#sets.values()) {
      if (!this.#isUsed(set)) continue;
      for (const node of set.dueTimes.take(time)) set.waiting.add(node);
    }
    this.#askWaiting();
  }

  /** Queries waiting nodes, up to the maximum concurrency. */
  #askWaiting(): void {
    const now = this.#snapshot?.();
    if (now === undefined || this.#isStopped) return;
    for (const set of this.#sets.values()) {
      for (const node of set.waiting) {
        if (this.#running >= this.#concurrency) return;
        set.waiting.delete(node);
        this.#ask(now, set, node);
      }
    }
  }

  /** Queries one node in the background; failures are reported to the next request that needs it. */
  #ask(now: Snapshot, set: FiguresSet, uuid: NodeUuid): void {
    const asked = { askedAt: this.#ports.clock.now(), order: ++this.#order };
    const node = now.node(uuid);
    const known = set.reported.get(uuid);
    if (node === undefined || !hasFigures(node) || known === undefined) {
      set.reported.delete(uuid);
      set.dueTimes.delete(uuid);
      set.live.delete(uuid);
      set.complete = undefined;
      return;
    }
    set.dueTimes.set(uuid, asked.askedAt + this.#ageMaxMs);
    set.reported.set(uuid, { ...known, lastAskedAt: asked.askedAt });
    this.#running++;
    const args = this.#argumentsOf(set, now);
    liveNode({ now, nodes: this.#ports.nodes, caller: background, args }, node, known.figures)
      .then((figures) => this.#enter(set, uuid, { figures, ...asked }))
      .catch(() => undefined)
      .finally(() => {
        this.#running--;
        this.#askWaiting();
      });
  }

  #argumentsOf(set: FiguresSet, now: Snapshot): LiveArguments {
    if (set.asking?.cluster !== now.cluster) {
      set.asking = { cluster: now.cluster, args: liveArguments(now, set.question) };
    }
    return set.asking.args;
  }
}

/** Nodes that were added or changed. */
const changedNodes = (before: Snapshot, now: Snapshot): readonly NodeObject[] =>
  now.differencesFrom(before, "node").flatMap(({ after }) => after ?? []);

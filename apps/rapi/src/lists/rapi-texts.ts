/**
 * JSON texts of the remote API's lists, made of cached parts: a changed object rewrites one part.
 */

import {
  affectedInstances,
  affectedNodes,
  type FieldContext,
  type LiveData,
  NameOrder,
  type NameOrders,
  nameOrders,
  showsAlike,
} from "@ganeti-ts/cluster-queries";
import type { Snapshot } from "@ganeti-ts/config";
import type { InstanceObject, NodeObject } from "@ganeti-ts/protocol";
import { blocksOf, bytesOf, type ItemSight, ListChunks } from "./list-chunks.js";
import { ListSights } from "./list-sights.js";
import { type RapiItems, type RapiKey, type RapiKind, rapiKeys } from "./rapi-objects.js";
import { type CachedKind, readBy, sameReads } from "./text-reads.js";

/** Maximum number of different values cached. */
const sharedMax = 10_000;

/** Text that does not depend on live data, in pieces with one live value between two of them. */
interface StaticText {
  readonly pieces: readonly string[];
  readonly reads: readonly unknown[];
}

/** Source of an instance's text; a new one whenever the text may differ. */
interface InstanceSource {
  readonly item: InstanceObject;
}

/** Options of a rendering. */
export interface RenderingOptions<Item> {
  /** Whether instances without a primary node are listed. Default false. */
  readonly unplaced?: boolean;
  /** Resolves when the live data of the items from `start` up to `end` are available; undefined if they already are. */
  readonly ready?: (
    items: readonly Item[],
    start: number,
    end: number,
  ) => Promise<void> | undefined;
}

/**
 * Cache of texts, keyed weakly by the objects, which never change: texts of unreferenced objects
 * are forgotten. Used by one server for all its answers.
 */
export class RapiTexts {
  readonly #texts = new WeakMap<object, StaticText>();
  readonly #orders: NameOrders;
  readonly #placed = new NameOrder("instance", ({ primary_node }) => Boolean(primary_node));
  readonly #lists = {
    instance: { chunks: new ListChunks(), sights: instanceSights() },
    unplaced: { chunks: new ListChunks(), sights: instanceSights() },
    node: { chunks: new ListChunks(), sights: nodeSights() },
    group: { chunks: new ListChunks(), sights: undefined },
    network: { chunks: new ListChunks(), sights: undefined },
  };
  readonly #values = new SharedValues();

  constructor(orders = nameOrders()) {
    this.#orders = orders;
  }

  /**
   * `[{…},{…}]` in natural order of names, as UTF-8, in parts to be written one after the other.
   * Instances without a primary node are left out unless `unplaced`.
   * Cost: a comparison of the live data of each item, and the rendering of objects that are new or refer to new
   * objects.
   */
  list<Kind extends RapiKind>(
    kind: Kind,
    now: Snapshot,
    live: LiveData | undefined,
    options: { readonly unplaced?: boolean } = {},
  ): readonly Uint8Array[] {
    // Without `ready` the rendering contains no promises.
    return [...this.rendering(kind, now, live, options)] as Uint8Array[];
  }

  /**
   * The parts of the list, each rendered on demand; a promise must be awaited before the next step. The rendering may end
   * early, which keeps the rendered parts for the next list. Several renderings may run at the same time; each shows its own
   * snapshot.
   */
  *rendering<Kind extends RapiKind>(
    kind: Kind,
    now: Snapshot,
    live: LiveData | undefined,
    { unplaced = false, ready }: RenderingOptions<RapiItems[Kind]> = {},
  ): Generator<Uint8Array | Promise<void>, void> {
    const context = { now, live: live && lookingOnce(live) };
    const items = this.items(kind, now, unplaced);
    const list = this.#lists[unplaced ? "unplaced" : kind];
    const chunks = list.chunks.pass();
    const sights = (list.sights as SightsOf<RapiItems[Kind]> | undefined)?.pass(items, now);
    const sightOf = (at: number): ItemSight => {
      const item = items[at] as RapiItems[Kind];
      if (sights === undefined) return this.#sight(kind, item, context, undefined);
      const seen =
        kind === "node"
          ? liveValues(kind, item, context)
          : context.live?.instance(item as InstanceObject);
      return sights.sight(at, seen, (one, fixed) => this.#sight(kind, one, context, fixed));
    };
    const write = ({ fixed, live: values }: ItemSight): string =>
      kind === "instance"
        ? this.#instanceText((fixed as InstanceSource).item, values, now)
        : written((fixed as StaticText).pieces, values);
    let isWhole = false;
    try {
      yield bytesOf("[");
      for (const { start, end } of blocksOf(items)) {
        const wait = ready?.(items, start, end);
        if (wait !== undefined) yield wait;
        const some = Array.from({ length: end - start }, (_, at) => sightOf(start + at));
        const chunk = chunks.chunk((items[start] as RapiItems[Kind]).uuid, some, write);
        yield start === 0 ? chunk.subarray(1) : chunk;
      }
      yield bytesOf("]");
      isWhole = true;
    } finally {
      chunks.end(isWhole);
      sights?.end(isWhole);
    }
  }

  #sight<Kind extends RapiKind>(
    kind: Kind,
    item: RapiItems[Kind],
    context: FieldContext,
    /** The fixed part of the sight, if it is still valid. */
    known: object | undefined,
  ): ItemSight {
    const fixed =
      known ??
      (kind === "instance"
        ? { item }
        : this.#staticText(kind as CachedKind, item as never, context.now));
    return { fixed, live: liveValues(kind, item, context) };
  }

  /** The listed objects in the order of their list; `unplaced` as for the list. */
  items<Kind extends RapiKind>(
    kind: Kind,
    now: Snapshot,
    unplaced: boolean,
  ): readonly RapiItems[Kind][] {
    const order = kind === "instance" && !unplaced ? this.#placed : this.#orders[kind];
    return (order as NameOrder<Kind>).items(now);
  }

  /** Makes the parts of a list that do not depend on live data, object by object. */
  *preparing(kind: CachedKind, now: Snapshot): Generator<void> {
    for (const item of this.#orders[kind].items(now)) {
      this.#staticText(kind, item as never, now);
      yield;
    }
  }

  /** One object. */
  object<Kind extends RapiKind>(kind: Kind, item: RapiItems[Kind], context: FieldContext): string {
    const live = liveValues(kind, item, context);
    if (kind === "instance") return this.#instanceText(item as InstanceObject, live, context.now);
    const { pieces } = this.#staticText(kind as CachedKind, item as never, context.now);
    return written(pieces, live);
  }

  #staticText<Kind extends CachedKind>(
    kind: Kind,
    item: RapiItems[Kind],
    now: Snapshot,
  ): StaticText {
    const known = this.#texts.get(item);
    const reads = readBy[kind](item as never, now);
    if (known !== undefined && sameReads(known.reads, reads)) return known;
    const keys = rapiKeys[kind] as readonly RapiKey<RapiItems[Kind]>[];
    const made = { pieces: piecesOf(keys, item, now, this.#values), reads };
    this.#texts.set(item, made);
    return made;
  }

  /** Text of an instance. It is not cached, because instances are many, and the chunks of their list are cached. */
  #instanceText(item: InstanceObject, live: readonly unknown[], now: Snapshot): string {
    return written(piecesOf(rapiKeys.instance, item, now, this.#values), live);
  }
}

/** Sights of one kind; only `rendering` knows the type of their live data. */
type SightsOf<Item extends { readonly uuid: string }> = ListSights<Item, unknown>;

type Sighted = ReturnType<LiveData["instance"]> | undefined;

const instanceSights = () =>
  new ListSights<InstanceObject, Sighted>({
    affected: affectedInstances,
    alike: (a, b) => a === b || (a !== undefined && b !== undefined && showsAlike(a, b)),
  });

/** Sights of nodes, which compare the shown values, because each answer of a node is a new object. */
const nodeSights = () =>
  new ListSights<NodeObject, readonly unknown[]>({ affected: affectedNodes, alike: sameReads });

/** Live data that are looked up once for all keys of an object. */
function lookingOnce(live: LiveData): LiveData {
  let latest: InstanceObject | undefined;
  let seen: ReturnType<LiveData["instance"]> | undefined;
  return {
    node: (uuid) => live.node(uuid),
    console: (uuid) => live.console(uuid),
    instance: (instance) => {
      if (seen === undefined || latest !== instance) seen = live.instance(instance);
      latest = instance;
      return seen;
    },
  };
}

const liveKeysOf = {
  instance: rapiKeys.instance.filter(({ live }) => live),
  node: rapiKeys.node.filter(({ live }) => live),
  group: rapiKeys.group.filter(({ live }) => live),
  network: rapiKeys.network.filter(({ live }) => live),
} as const;

const liveValues = <Kind extends RapiKind>(
  kind: Kind,
  item: RapiItems[Kind],
  context: FieldContext,
): unknown[] =>
  (liveKeysOf[kind] as readonly RapiKey<RapiItems[Kind]>[]).map(({ value }) =>
    value(item, context),
  );

function written(pieces: readonly string[], live: readonly unknown[]): string {
  let text = pieces[0] as string;
  for (let i = 0; i < live.length; i++) text += JSON.stringify(live[i]) + pieces[i + 1];
  return text;
}

function piecesOf<Item>(
  keys: readonly RapiKey<Item>[],
  item: Item,
  now: Snapshot,
  values: SharedValues,
): string[] {
  const context = { now, live: undefined };
  const pieces: string[] = [];
  // Joined, because a concatenated string would be flattened at each write.
  let parts: string[] = ["{"];
  for (const { name, begin, live, value, like } of keys) {
    parts.push(begin);
    if (live) {
      pieces.push(parts.join(""));
      parts = [];
    } else if (like === undefined) {
      parts.push(textOf(value(item, context)));
    } else {
      parts.push(values.text(now, name + like(item), () => textOf(value(item, context))));
    }
  }
  parts.push("}");
  pieces.push(parts.join(""));
  return pieces;
}

/** A value as JSON; a missing one is null. */
const textOf = (value: unknown): string =>
  value === undefined || value === null ? "null" : JSON.stringify(value);

/** Texts of values that many objects have in common, as long as the cluster's parameters are the same. */
class SharedValues {
  #cluster: readonly unknown[] = [];
  readonly #texts = new Map<string, string>();

  text({ cluster }: Snapshot, like: string, make: () => string): string {
    const { hvparams, os_hvp, beparams, enabled_hypervisors } = cluster;
    const levels = [hvparams, os_hvp, beparams, enabled_hypervisors];
    if (!sameReads(levels, this.#cluster) || this.#texts.size > sharedMax) this.#texts.clear();
    this.#cluster = levels;
    const known = this.#texts.get(like);
    if (known !== undefined) return known;
    const text = make();
    this.#texts.set(like, text);
    return text;
  }
}

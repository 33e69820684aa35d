/**
 * JSON texts of the remote API's lists, made of cached parts: a changed object rewrites one part.
 */

import type { FieldContext, LiveData } from "@ganeti-ts/cluster-queries";
import type { Snapshot } from "@ganeti-ts/config";
import type { InstanceObject } from "@ganeti-ts/protocol";
import { InstanceSights } from "./instance-sights.js";
import { blocksOf, bytesOf, type ItemSight, ListChunks } from "./list-chunks.js";
import { NameOrder } from "./name-order.js";
import { type RapiItems, type RapiKey, type RapiKind, rapiKeys } from "./rapi-objects.js";
import { disksRead, readBy, sameReads, surroundings } from "./text-reads.js";

/** Maximum number of different values cached. */
const sharedMax = 10_000;

/** Text that does not depend on live data, in pieces with one live value between two of them. */
interface StaticText {
  readonly pieces: readonly string[];
  readonly reads: readonly unknown[];
  /** For instances: the surroundings in which the text was last found valid, and the disks. */
  around: object | undefined;
  disks: readonly unknown[];
}

/** How a list is rendered part by part. */
export interface RenderingOptions {
  /** With instances that have no primary node. Default false. */
  readonly unplaced?: boolean;
  /** Resolves when the live data of the instances from `start` up to `end` are there; undefined if they are. */
  readonly ready?: (
    items: readonly InstanceObject[],
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
  readonly #orders: { readonly [Kind in RapiKind]: NameOrder<Kind> } = {
    instance: new NameOrder("instance"),
    node: new NameOrder("node"),
    group: new NameOrder("group"),
    network: new NameOrder("network"),
  };
  readonly #lists = {
    instance: { chunks: new ListChunks(), sights: new InstanceSights() },
    unplaced: { chunks: new ListChunks(), sights: new InstanceSights() },
    node: { chunks: new ListChunks(), sights: undefined },
    group: { chunks: new ListChunks(), sights: undefined },
    network: { chunks: new ListChunks(), sights: undefined },
  };
  readonly #values = new SharedValues();
  /** Surroundings in the latest snapshot; the same list as long as nothing in it changes. */
  #around: { readonly now: Snapshot; readonly list: readonly unknown[] } | undefined;

  /**
   * `[{…},{…}]` in natural order of names, as UTF-8, in parts to be written one after the other.
   * Instances without a primary node are left out unless `unplaced`.
   * Cost: a look at the live data of each item, and the whole of an object that is new or refers to what is
   * new.
   */
  list<Kind extends RapiKind>(
    kind: Kind,
    now: Snapshot,
    live: LiveData | undefined,
    options: { readonly unplaced?: boolean } = {},
  ): readonly Uint8Array[] {
    // Without `ready` there is nothing to wait for.
    return [...this.rendering(kind, now, live, options)] as Uint8Array[];
  }

  /**
   * The parts of the list, each rendered when it is asked for; a promise is to be waited for before the next one. The
   * rendering may be abandoned, and several may be under way; each shows its own snapshot.
   */
  *rendering<Kind extends RapiKind>(
    kind: Kind,
    now: Snapshot,
    live: LiveData | undefined,
    { unplaced = false, ready }: RenderingOptions = {},
  ): Generator<Uint8Array | Promise<void>, void> {
    const context = { now, live: live && lookingOnce(live) };
    const make = (item: RapiItems[Kind]): ItemSight => ({
      fixed: this.#staticText(kind, item, now),
      live: liveValues(kind, item, context),
    });
    const items = (
      kind === "instance" ? this.instances(now, unplaced) : this.#orders[kind].items(now)
    ) as readonly RapiItems[Kind][];
    const list = this.#lists[unplaced ? "unplaced" : kind];
    const chunks = list.chunks.pass();
    const sights = list.sights?.pass(items as readonly InstanceObject[], now);
    yield bytesOf("[");
    for (const { start, end } of blocksOf(items)) {
      const wait = ready?.(items as readonly InstanceObject[], start, end);
      if (wait !== undefined) yield wait;
      const some: ItemSight[] = [];
      for (let at = start; at < end; at++) {
        const item = items[at] as RapiItems[Kind];
        some.push(sights ? sights.sight(at, context.live, make as never) : make(item));
      }
      const chunk = chunks.chunk((items[start] as RapiItems[Kind]).uuid, some, writtenSight);
      yield start === 0 ? chunk.subarray(1) : chunk;
    }
    yield bytesOf("]");
    chunks.end();
    sights?.end();
  }

  /** The listed instances in the order of their list. */
  instances(now: Snapshot, unplaced: boolean): readonly InstanceObject[] {
    const all = this.#orders.instance.items(now);
    return unplaced ? all : all.filter(({ primary_node }) => Boolean(primary_node));
  }

  /** Makes, object by object, what a list needs that does not depend on live data. */
  *preparing(kind: RapiKind, now: Snapshot): Generator<void> {
    for (const item of this.#orders[kind].items(now)) {
      this.#staticText(kind, item as never, now);
      yield;
    }
  }

  /** One object. */
  object<Kind extends RapiKind>(kind: Kind, item: RapiItems[Kind], context: FieldContext): string {
    return written(this.#staticText(kind, item, context.now), liveValues(kind, item, context));
  }

  #staticText<Kind extends RapiKind>(kind: Kind, item: RapiItems[Kind], now: Snapshot): StaticText {
    const known = this.#texts.get(item);
    const isInstance = kind === "instance";
    const around = isInstance ? this.#aroundOf(now) : undefined;
    const disks = isInstance ? disksRead(now, item as InstanceObject) : [];
    if (known !== undefined && around !== undefined && known.around === around) {
      if (sameReads(known.disks, disks)) return known;
    }
    const reads = readBy[kind](item as never, now);
    if (known !== undefined && sameReads(known.reads, reads)) {
      known.around = around;
      known.disks = disks;
      return known;
    }
    const keys = rapiKeys[kind] as readonly RapiKey<RapiItems[Kind]>[];
    const made = { pieces: piecesOf(keys, item, now, this.#values), reads, around, disks };
    this.#texts.set(item, made);
    return made;
  }

  #aroundOf(now: Snapshot): object {
    if (this.#around?.now === now) return this.#around.list;
    const list = surroundings(now);
    const before = this.#around?.list;
    const kept = before !== undefined && sameReads(before, list) ? before : list;
    this.#around = { now, list: kept };
    return kept;
  }
}

/** Several keys of an object share one call for live data. */
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

const writtenSight = ({ fixed, live }: ItemSight): string => written(fixed as StaticText, live);

function written({ pieces }: StaticText, live: readonly unknown[]): string {
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
  // Joined, because a concatenated string would be flattened each time it is written.
  let parts: string[] = [];
  keys.forEach(({ name, live, value, like }, at) => {
    parts.push(at === 0 ? '{"' : ',"', name, '":');
    if (live) {
      pieces.push(parts.join(""));
      parts = [];
    } else if (like === undefined) {
      parts.push(JSON.stringify(value(item, context) ?? null));
    } else {
      parts.push(
        values.text(now, name + like(item), () => JSON.stringify(value(item, context) ?? null)),
      );
    }
  });
  parts.push("}");
  pieces.push(parts.join(""));
  return pieces;
}

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

/**
 * Lists of all objects of a kind as the remote API gives them, as JSON text, made of parts that are
 * kept: a change of one object makes one part anew.
 */
import { listedInstances, type Snapshot } from "@ganeti-ts/config";
import type { InstanceObject, NodeObject } from "@ganeti-ts/protocol";
import type { FieldContext } from "./field.js";
import type { LiveData } from "./live-data.js";
import { type RapiItems, type RapiKey, type RapiKind, rapiKeys } from "./rapi-objects.js";
import { type Resource, resources } from "./resources.js";

/** What does not depend on live data, in pieces; between two pieces comes one live value. */
interface StaticText {
  readonly pieces: readonly string[];
  readonly reads: readonly unknown[];
}

/**
 * Texts of objects, kept by the objects themselves, which never change: what nobody refers to any
 * more is forgotten. Used by one server for all its answers.
 */
export class RapiTexts {
  readonly #texts = new WeakMap<object, StaticText>();
  /** The order of names, of the latest snapshot asked about. */
  readonly #sorted = new Map<
    RapiKind,
    { readonly now: Snapshot; readonly items: readonly object[] }
  >();

  /**
   * `[{…},{…}]` in natural order of names, in parts to be written one after the other. Instances
   * without a primary node are left out unless `unplaced`.
   * Cost: items times live keys, and the whole of an object that is new or refers to what is new.
   */
  list<Kind extends RapiKind>(
    kind: Kind,
    now: Snapshot,
    live: LiveData | undefined,
    { unplaced = false }: { readonly unplaced?: boolean } = {},
  ): string[] {
    const context = { now, live };
    const parts: string[] = [];
    for (const item of this.#items(kind, now)) {
      if (kind === "instance" && !unplaced && !(item as InstanceObject).primary_node) continue;
      parts.push(parts.length === 0 ? "[" : ",", this.object(kind, item, context));
    }
    if (parts.length === 0) parts.push("[");
    parts.push("]");
    return parts;
  }

  /** One object. */
  object<Kind extends RapiKind>(kind: Kind, item: RapiItems[Kind], context: FieldContext): string {
    const { pieces } = this.#staticText(kind, item, context.now);
    const liveKeys = liveKeysOf[kind] as readonly RapiKey<RapiItems[Kind]>[];
    let text = pieces[0] as string;
    for (let i = 0; i < liveKeys.length; i++) {
      text += JSON.stringify((liveKeys[i] as RapiKey<RapiItems[Kind]>).value(item, context));
      text += pieces[i + 1] as string;
    }
    return text;
  }

  #staticText<Kind extends RapiKind>(kind: Kind, item: RapiItems[Kind], now: Snapshot): StaticText {
    const reads = readBy[kind](item as never, now);
    const known = this.#texts.get(item);
    if (known !== undefined && sameReads(known.reads, reads)) return known;
    const made = {
      pieces: piecesOf(rapiKeys[kind] as readonly RapiKey<RapiItems[Kind]>[], item, now),
      reads,
    };
    this.#texts.set(item, made);
    return made;
  }

  #items<Kind extends RapiKind>(kind: Kind, now: Snapshot): readonly RapiItems[Kind][] {
    const known = this.#sorted.get(kind);
    if (known?.now === now) return known.items as RapiItems[Kind][];
    const items = inNaturalOrder(kind, now);
    this.#sorted.set(kind, { now, items });
    return items;
  }
}

const liveKeysOf = {
  instance: rapiKeys.instance.filter(({ live }) => live),
  node: rapiKeys.node.filter(({ live }) => live),
  group: rapiKeys.group.filter(({ live }) => live),
  network: rapiKeys.network.filter(({ live }) => live),
} as const;

/** What the static part of an object's text is made of, besides the object itself. */
const readBy: {
  readonly [Kind in RapiKind]: (item: RapiItems[Kind], now: Snapshot) => readonly unknown[];
} = {
  instance: (instance, now) => {
    const { cluster } = now;
    const reads: unknown[] = [
      cluster.hvparams,
      cluster.os_hvp,
      cluster.beparams,
      cluster.nicparams,
    ];
    if (instance.primary_node) reads.push(now.node(instance.primary_node));
    for (const uuid of instance.disks) {
      const disk = now.disk(uuid);
      reads.push(disk);
      for (const node of disk?.dev_type === "drbd" ? disk.nodes : [])
        reads.push(now.node(node)?.name);
    }
    for (const { network } of instance.nics) {
      if (!network) continue;
      reads.push(now.network(network)?.name);
      const node = instance.primary_node && now.node(instance.primary_node);
      reads.push(node && now.group(node.group)?.networks[network]);
    }
    return reads;
  },
  node: (node: NodeObject, now) => {
    const { primary, secondary } = now.instancesOfNode(node.uuid);
    const { cluster } = now;
    const group = now.group(node.group);
    return [cluster.master_node, cluster.ndparams, group?.ndparams, ...primary, ...secondary];
  },
  group: ({ uuid }, now) => [
    ...[now.cluster.ipolicy, now.cluster.diskparams, now.cluster.ndparams],
    ...now.nodesOfGroup(uuid).map(({ name }) => name),
  ],
  network: ({ uuid }, now) => [...now.groups(), ...now.instancesOfNetwork(uuid)],
};

function sameReads(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

function piecesOf<Item>(keys: readonly RapiKey<Item>[], item: Item, now: Snapshot): string[] {
  const context = { now, live: undefined };
  const pieces: string[] = [];
  let text = "{";
  keys.forEach(({ name, live, value }, at) => {
    text += `${at === 0 ? "" : ","}${JSON.stringify(name)}:`;
    if (live) {
      pieces.push(text);
      text = "";
    } else {
      text += JSON.stringify(value(item, context) ?? null);
    }
  });
  pieces.push(`${text}}`);
  return pieces;
}

/** A text whose code units are in the order of `compareNaturally`, made once for each name. */
export const naturalKey = (name: string): string =>
  name.replace(/[0-9]+|[^0-9]+/g, (run) => {
    if (run > ":" || run < "0") return `\u0001${run}`;
    const digits = run.replace(/^0+/, "");
    return `\u0000${String.fromCharCode(digits.length)}${digits}`;
  });

function inNaturalOrder<Kind extends RapiKind>(kind: Kind, now: Snapshot): RapiItems[Kind][] {
  const { name } = resources[kind] as Resource<RapiItems[Kind]>;
  const all = kind === "instance" ? listedInstances(now) : now.all(kind);
  return Array.from(all as Iterable<RapiItems[Kind]>, (item) => ({
    item,
    key: naturalKey(name(item, now)),
  }))
    .sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)))
    .map(({ item }) => item);
}

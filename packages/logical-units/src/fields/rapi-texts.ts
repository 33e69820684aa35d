/**
 * Lists of all objects of a kind as the remote API gives them, as JSON text, made of parts that are
 * kept: a change of one object makes one part anew.
 */
import type { Snapshot } from "@ganeti-ts/config";
import type { InstanceObject } from "@ganeti-ts/protocol";
import type { FieldContext } from "./field.js";
import type { LiveData } from "./live-data.js";
import { NameOrder } from "./name-order.js";
import { type RapiItems, type RapiKey, type RapiKind, rapiKeys } from "./rapi-objects.js";
import { disksRead, readBy, sameReads, surroundings } from "./text-reads.js";

/** What does not depend on live data, in pieces; between two pieces comes one live value. */
interface StaticText {
  readonly pieces: readonly string[];
  readonly reads: readonly unknown[];
  /** Of instances: the surroundings in which the text was last found to hold, and the disks. */
  around: object | undefined;
  disks: readonly unknown[];
}

/**
 * Texts of objects, kept by the objects themselves, which never change: what nobody refers to any
 * more is forgotten. Used by one server for all its answers.
 */
export class RapiTexts {
  readonly #texts = new WeakMap<object, StaticText>();
  readonly #orders: { readonly [Kind in RapiKind]: NameOrder<Kind> } = {
    instance: new NameOrder("instance"),
    node: new NameOrder("node"),
    group: new NameOrder("group"),
    network: new NameOrder("network"),
  };
  /** Of the latest snapshot; the same list as long as nothing in it changes. */
  #around: { readonly now: Snapshot; readonly list: readonly unknown[] } | undefined;

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
    const context = { now, live: live && lookingOnce(live) };
    const parts: string[] = [];
    const items = this.#orders[kind].items(now) as readonly RapiItems[Kind][];
    for (const item of items) {
      if (kind === "instance" && !unplaced && !(item as InstanceObject).primary_node) continue;
      parts.push(parts.length === 0 ? "[" : ",");
      this.#write(kind, item, context, parts);
    }
    if (parts.length === 0) parts.push("[");
    parts.push("]");
    return parts;
  }

  /** One object. */
  object<Kind extends RapiKind>(kind: Kind, item: RapiItems[Kind], context: FieldContext): string {
    const parts: string[] = [];
    this.#write(kind, item, context, parts);
    return parts.join("");
  }

  #write<Kind extends RapiKind>(
    kind: Kind,
    item: RapiItems[Kind],
    context: FieldContext,
    parts: string[],
  ): void {
    const { pieces } = this.#staticText(kind, item, context.now);
    const liveKeys = liveKeysOf[kind] as readonly RapiKey<RapiItems[Kind]>[];
    parts.push(pieces[0] as string);
    for (let i = 0; i < liveKeys.length; i++) {
      const { value } = liveKeys[i] as RapiKey<RapiItems[Kind]>;
      parts.push(JSON.stringify(value(item, context)), pieces[i + 1] as string);
    }
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
    const made = { pieces: piecesOf(keys, item, now), reads, around, disks };
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

/** Several keys of an object ask for the same sighting. */
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

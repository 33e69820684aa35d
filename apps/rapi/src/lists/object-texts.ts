/** JSON texts of the cluster's objects for the remote API, cached while they are valid. */

import type { Cluster, ObjectKind } from "@ganeti-ts/cluster";
import type { LiveData, LiveNeed } from "@ganeti-ts/cluster-queries";
import type { Snapshot } from "@ganeti-ts/config";
import { writeJson } from "@ganeti-ts/protocol";
import { ClientGone } from "../http/fault.js";
import { joined } from "../http/parts.js";
import { forAtMost, turns } from "../slices.js";
import { GrowingParts } from "./growing-parts.js";
import { RapiTexts } from "./rapi-texts.js";

export interface ObjectTexts {
  /** `/2/info`, as JSON text. */
  infoText(): string;
  /**
   * All objects of a kind with all fields of the API: a JSON list and a newline as UTF-8, in parts to be sent one after the
   * other. A long list of instances or nodes is returned at once and grows; it shows the configuration at the time of
   * the call.
   */
  listParts(
    kind: ObjectKind,
    options?: { readonly unplaced?: boolean },
  ): Promise<readonly Uint8Array[] | GrowingParts>;
  /** One object, by name or UUID, as JSON text; undefined if it does not exist. */
  objectText(kind: ObjectKind, name: string): Promise<string | undefined>;
}

/** Texts that can be rendered in advance. */
export interface PreparedTexts extends ObjectTexts {
  /**
   * Steps of the preparation: a few for the index of the configuration, then one for each node; may be abandoned at any
   * step. The last one starts the list of instances, if it is long, and returns a promise.
   */
  preparing(): Iterator<unknown>;
}

/**
 * Time (ms) for which live figures of a list are reused, unless a job or the configuration changes.
 */
const liveForMs = 1000;

const liveNeeds: Readonly<Partial<Record<ObjectKind, ReadonlySet<LiveNeed>>>> = {
  instance: new Set(["instances"]),
  node: new Set(["hypervisor", "storage"]),
};

const newline = Buffer.from("\n");

/** Number of items from which a list is rendered in slices. */
const manyItems = 1000;

/** Maximum number of concurrent calls to nodes for a list. */
const askedAtOnce = 512;

type Parts = readonly Uint8Array[] | GrowingParts;

interface List {
  readonly now: Snapshot;
  readonly until: number;
  readonly parts: Promise<Parts>;
}

export function objectTexts({
  snapshot,
  objects,
  queue,
}: Pick<Cluster, "snapshot" | "objects" | "queue">): PreparedTexts {
  const texts = new RapiTexts(objects.orders);
  const lists = new Map<string, List>();
  let info: { readonly now: Snapshot; readonly text: string } | undefined;
  queue.onChange(() => lists.clear());

  const live = (kind: ObjectKind, items: Iterable<unknown>) => liveDataOf(objects, kind, items);

  const made: PreparedTexts = {
    infoText() {
      const now = snapshot();
      if (info?.now !== now) info = { now, text: infoTextOf(objects) };
      return info.text;
    },

    async listParts(kind, options = {}) {
      const now = snapshot();
      const key = `${kind} ${options.unplaced === true}`;
      const known = lists.get(key);
      if (known?.now === now && performance.now() < known.until) return known.parts;
      const until = performance.now() + liveForMs;
      const parts: Promise<Parts> = isLong(kind, now)
        ? Promise.resolve(growingList(texts, objects, kind, now, options.unplaced === true))
        : live(kind, now.all(kind)).then((data) =>
            joined([...texts.list(kind, now, data, options), newline]),
          );
      lists.set(key, { now, until, parts });
      const forget = () => void (lists.get(key)?.parts === parts && lists.delete(key));
      parts.then((made) => (made instanceof GrowingParts ? made.whole : made)).catch(forget);
      return parts;
    },

    *preparing() {
      while (snapshot().prepareIndex()) yield;
      yield* texts.preparing("node", snapshot());
      if (!isLong("instance", snapshot())) return;
      // The error is reported to the next request, which repeats the work.
      yield made
        .listParts("instance")
        .then((parts) => (parts instanceof GrowingParts ? parts.untilWhole() : parts))
        .catch(() => {});
    },

    async objectText(kind, name) {
      const now = snapshot();
      const item = now.find(kind, name);
      if (item === undefined) return undefined;
      const text = texts.object(kind, item as never, { now, live: await live(kind, [item]) });
      // A single node has its secondary address under a plain name as well.
      return "secondary_ip" in item
        ? `${text.slice(0, -1)},"secondary_ip":${JSON.stringify(item.secondary_ip)}}`
        : text;
    },
  };
  return made;
}

/** Whether the list is long and calls nodes. */
const isLong = (kind: ObjectKind, now: Snapshot): kind is "instance" | "node" =>
  (kind === "instance" || kind === "node") && now.count(kind) >= manyItems;

/**
 * A long list of instances or nodes, rendered in slices, between which other requests are answered. It ends when all its readers
 * have left; the next list goes on from what has been rendered.
 */
function growingList(
  texts: RapiTexts,
  objects: Cluster["objects"],
  kind: "instance" | "node",
  now: Snapshot,
  unplaced: boolean,
): GrowingParts {
  const options = { concurrency: askedAtOnce, turn: turns() };
  const { live, ready, stop } =
    kind === "instance"
      ? objects.liveInOrder(now, texts.items(kind, now, unplaced), options)
      : objects.liveNodesInOrder(now, texts.items(kind, now, unplaced), options);
  const parts = new GrowingParts(() => {
    stop();
    work.return();
    parts.fail(new ClientGone());
  });
  const work = addedTo(
    parts,
    texts.rendering<"instance" | "node">(kind, now, live, { unplaced, ready: ready as never }),
  );
  forAtMost(Infinity, work).catch((error) => parts.fail(error));
  return parts;
}

/** Adds the parts of a rendering to a list; an early end of the generator ends the rendering. */
function* addedTo(
  parts: GrowingParts,
  rendering: Iterable<Uint8Array | Promise<void>>,
): Generator<Promise<void> | undefined, void> {
  for (const one of rendering) {
    if (!(one instanceof Promise)) parts.add(one);
    yield one instanceof Promise ? one : undefined;
  }
  parts.add(newline);
  parts.end();
}

async function liveDataOf(
  objects: Cluster["objects"],
  kind: ObjectKind,
  items: Iterable<unknown>,
): Promise<LiveData | undefined> {
  const needs = liveNeeds[kind];
  if (needs === undefined) return undefined;
  return objects.live({
    needs,
    nodes: (kind === "node" ? items : []) as never,
    instances: (kind === "instance" ? items : []) as never,
  });
}

function infoTextOf(objects: Cluster["objects"]): string {
  const info = objects.info();
  const { volume_group_name: vg_name, drbd_usermode_helper: drbd_helper } = info;
  return writeJson({ ...info, vg_name, drbd_helper } as never);
}

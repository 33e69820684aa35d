/** JSON texts of the cluster's objects for the remote API, cached while they are valid. */

import type { Cluster, ObjectKind } from "@ganeti-ts/cluster";
import type { LiveData, LiveNeed } from "@ganeti-ts/cluster-queries";
import { listedInstances, type Snapshot } from "@ganeti-ts/config";
import { writeJson } from "@ganeti-ts/protocol";
import { joined } from "../http/parts.js";
import { forAtMost } from "../slices.js";
import { RapiTexts } from "./rapi-texts.js";

export interface ObjectTexts {
  /** `/2/info`, as JSON text. */
  infoText(): string;
  /**
   * All of a kind with all that the API shows of each: a JSON list and a newline as UTF-8, in parts to
   * be sent one after the other.
   */
  listParts(
    kind: ObjectKind,
    options?: { readonly unplaced?: boolean },
  ): Promise<readonly Uint8Array[]>;
  /** One of them, by name or UUID, as JSON text; undefined if there is none. */
  objectText(kind: ObjectKind, name: string): Promise<string | undefined>;
}

/** Texts that can be rendered in advance. */
export interface PreparedTexts extends ObjectTexts {
  /**
   * One step for each instance and node; may be abandoned at any step. The last one may return a
   * promise.
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

/** Shorter lists are rendered quickly enough at once. */
const manyInstances = 1000;

interface List {
  readonly now: Snapshot;
  readonly until: number;
  readonly parts: Promise<readonly Uint8Array[]>;
}

export function objectTexts({
  snapshot,
  objects,
  queue,
}: Pick<Cluster, "snapshot" | "objects" | "queue">): PreparedTexts {
  const texts = new RapiTexts();
  const lists = new Map<string, List>();
  let info: { readonly now: Snapshot; readonly text: string } | undefined;
  queue.onChange(() => lists.clear());

  /** Whether a list of instances has been rendered: later ones render only what has changed. */
  let isRendered = false;
  const rendered = async (kind: ObjectKind, now: Snapshot): Promise<void> => {
    if (kind !== "instance" || isRendered || now.instanceCount < manyInstances) return;
    // Object by object, so that other requests are answered meanwhile.
    await forAtMost(Infinity, texts.preparing(kind, now));
    isRendered = true;
  };

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
      const list = {
        now,
        until: performance.now() + liveForMs,
        parts: rendered(kind, now)
          .then(() => live(kind, all(kind, now)))
          .then((data) => joined([...texts.list(kind, now, data, options), newline])),
      };
      lists.set(key, list);
      list.parts.catch(() => lists.delete(key));
      return list.parts;
    },

    *preparing() {
      yield* texts.preparing("instance", snapshot());
      yield* texts.preparing("node", snapshot());
      if (snapshot().instanceCount < manyInstances) return;
      // An error is reported to the first request that repeats it.
      yield made.listParts("instance").catch(() => {});
    },

    async objectText(kind, name) {
      const now = snapshot();
      const item = now.find(kind, name);
      if (item === undefined) return undefined;
      const text = texts.object(kind, item as never, { now, live: await live(kind, [item]) });
      // A single node has its secondary address also under a plain name.
      return "secondary_ip" in item
        ? `${text.slice(0, -1)},"secondary_ip":${JSON.stringify(item.secondary_ip)}}`
        : text;
    },
  };
  return made;
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

const all = (kind: ObjectKind, now: Snapshot): Iterable<{ readonly uuid: string }> =>
  kind === "instance" ? listedInstances(now) : now.all(kind);

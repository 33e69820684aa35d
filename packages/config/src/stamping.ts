/** Assignment of serial numbers and times to changes, in a single place. */

import {
  type ClusterObject,
  type DiskObject,
  type ForthcomingNic,
  type GroupObject,
  type InstanceObject,
  type Json,
  type JsonObject,
  type NicObject,
  sameJson,
} from "@ganeti-ts/protocol";
import { ConfigError } from "./config-error.js";
import type { ClusterPut, ConfigChange, ObjectsByType, ObjectType, Put } from "./objects.js";
import { putCluster } from "./objects.js";
import type { Snapshot } from "./snapshot.js";

/**
 * The effective part of `changes`, stamped; the last of several changes to one object counts.
 * A new object has serial number 1, and its own creation time if it comes back; a changed one has one more; `now` is in seconds.
 *
 * The cluster's serial number is that of the data distributed to nodes (ssconf and confd): it grows by one with every change to nodes, with added or removed groups and networks, and with the instances and disks of `isDistributed`.
 * @throws ConfigError `conflict` if an object was derived from another form than the one in `before`,
 *   `unknown_entity` if an object to be removed does not exist
 */
export function stamped(
  before: Snapshot,
  changes: readonly ConfigChange[],
  now: number,
): readonly ConfigChange[] {
  const last = new Map<string, ConfigChange>();
  for (const change of changes) last.set(keyOf(change), change);
  const kept: ConfigChange[] = [];
  let cluster: ClusterObject | undefined;
  let isSeenByNodes = false;
  for (const change of last.values()) {
    if (change.kind === "cluster") {
      cluster = changedCluster(before, change);
    } else if (change.kind === "remove") {
      const { type, uuid } = change;
      const old = before.get(type, uuid);
      if (old === undefined) {
        // It was added and removed in the same change.
        if (changes.some((one) => one !== change && keyOf(one) === keyOf(change))) continue;
        throw new ConfigError("unknown_entity", `${type} ${uuid} is not there to be removed`);
      }
      isSeenByNodes ||= !isUnseen(type, old);
      kept.push(change);
    } else {
      const put = changedObject(before, change, now);
      if (put === undefined) continue;
      isSeenByNodes ||= isDistributed(before, put);
      kept.push(put);
    }
  }
  if (cluster === undefined && !isSeenByNodes) return kept;
  const { serial_no = 0 } = before.cluster;
  const object = { ...(cluster ?? before.cluster), serial_no: serial_no + 1, mtime: now };
  return [...kept, putCluster(object)];
}

/** Key of the changed object. */
export const keyOf = (change: ConfigChange): string => {
  if (change.kind === "cluster") return "cluster";
  return `${change.type}/${change.kind === "put" ? change.object.uuid : change.uuid}`;
};

function changedCluster(before: Snapshot, { object }: ClusterPut): ClusterObject | undefined {
  const plain = asStored(object, before.cluster);
  mustBeCurrent(plain.serial_no, before.cluster.serial_no, "cluster");
  return sameContent(plain, before.cluster) ? undefined : plain;
}

function changedObject(before: Snapshot, change: Put, now: number): Put | undefined {
  const old = before.get(change.type, change.object.uuid);
  const plain = asStored(change.object, old);
  if (old === undefined) {
    const object = Object.assign(plain, { serial_no: 1, ctime: plain.ctime ?? now, mtime: now });
    return { ...change, object } as Put;
  }
  mustBeCurrent(
    plain.serial_no,
    old.serial_no,
    `${change.type} ${("name" in plain && plain.name) || plain.uuid}`,
  );
  if (sameContent(plain, old)) return undefined;
  const stamps = { serial_no: (old.serial_no ?? 0) + 1, mtime: now };
  const ctime = old.ctime === undefined ? {} : { ctime: old.ctime };
  return { ...change, object: { ...plain, ...stamps, ...ctime } } as Put;
}

function mustBeCurrent(given: number | undefined, stored: number | undefined, what: string): void {
  if (given === stored) return;
  throw new ConfigError(
    "conflict",
    `Configuration object updated since it has been read: ${what}, serial number ${given}, expected ${stored}`,
  );
}

/**
 * In the form it will be read back: not shared with the caller, and without undefined keys. Parts of `known`, which has
 * that form, are not copied: most changes of a cluster object concern few of them. O(size of the other parts).
 */
function asStored<O extends object>(object: O, known: object | undefined): O {
  if (known === undefined) return JSON.parse(JSON.stringify(object)) as O;
  const there = known as JsonObject;
  const stored: { [key: string]: Json } = {};
  for (const [key, value] of Object.entries(object as JsonObject)) {
    if (value === undefined) continue;
    const isKnown = typeof value !== "object" || value === there[key];
    stored[key] = isKnown ? value : (JSON.parse(JSON.stringify(value)) as Json);
  }
  return stored as O;
}

function sameContent(a: object, b: object): boolean {
  return sameJson(unstamped(a), unstamped(b));
}

function unstamped(object: object): Json {
  const { serial_no: _serial, ctime: _ctime, mtime: _mtime, ...rest } = object as JsonObject;
  return rest;
}

function isDistributed(before: Snapshot, put: Put): boolean {
  const old = before.get(put.type, put.object.uuid);
  switch (put.type) {
    case "node":
      return true;
    case "group":
      return old === undefined || (old as GroupObject).name !== put.object.name;
    case "network":
      return old === undefined;
    case "disk":
      return old !== undefined && hasMoved(old as DiskObject, put.object);
    case "instance":
      return old === undefined || isShownOtherwise(old as InstanceObject, put.object);
    case "claim":
      return false;
  }
}

/** Nodes are not notified that claims and disks to come are removed. */
const isUnseen = (type: ObjectType, object: ObjectsByType[ObjectType]): boolean =>
  type === "claim" || (type === "disk" && (object as DiskObject).forthcoming === true);

/** To nodes, a disk whose nodes or minors change is a different one. */
const hasMoved = (before: DiskObject, after: DiskObject): boolean =>
  !sameJson(before.nodes, after.nodes) ||
  !sameJson((before.logical_id ?? null) as Json, (after.logical_id ?? null) as Json);

function isShownOtherwise(before: InstanceObject, after: InstanceObject): boolean {
  return (
    before.name !== after.name ||
    before.primary_node !== after.primary_node ||
    !sameJson(addresses(before.nics), addresses(after.nics))
  );
}

const addresses = (nics: readonly (NicObject | ForthcomingNic)[]): Json =>
  nics.flatMap(({ ip }) => ip ?? []).sort();

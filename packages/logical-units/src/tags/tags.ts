/** OP_TAGS_GET, OP_TAGS_SET, OP_TAGS_DEL and OP_TAGS_SEARCH: tags of objects. */

import { instanceLabel } from "@ganeti-ts/cluster-queries";
import type { ConfigChange, ObjectsByType, ObjectType, Snapshot } from "@ganeti-ts/config";
import { checkTag, put, putCluster, withoutTags, withTags } from "@ganeti-ts/config";
import type { LockName, LockRequest } from "@ganeti-ts/locking";
import type { OpcodeOf } from "@ganeti-ts/protocol";
import { compilePattern, FilterError, type Pattern } from "@ganeti-ts/query";
import {
  asExclusive,
  asShared,
  groupLock,
  instanceLock,
  networkLock,
  nodeLock,
} from "../unit/locks.js";
import { orExecError, orTagError, wrongInput } from "../unit/refusals.js";
import { changeConfig, type Unit } from "../unit/unit.js";

/** Objects with tags: how they are named, locked and changed. */
type Named = Pick<OpcodeOf<"OP_TAGS_SET">, "kind" | "name">;

interface Tagged {
  /** Undefined for the cluster itself. */
  readonly lock: LockName | undefined;
  readonly tags: readonly string[];
  /** The change that gives the object these tags. */
  readonly withTags: (tags: readonly string[]) => ConfigChange;
}

/** Exclusive, so that no other job changes the tags meanwhile. */
function tagLocks(op: Named, now: Snapshot): readonly LockRequest[] {
  const { lock } = tagged(now, op);
  return lock === undefined ? [] : asExclusive(lock);
}

/** @throws ConfigError `unknown_entity` */
function tagged(now: Snapshot, { kind, name = "" }: Named): Tagged {
  const { cluster } = now;
  switch (kind) {
    case "cluster": {
      const withTags = (tags: readonly string[]) => putCluster({ ...cluster, tags });
      return { lock: undefined, tags: cluster.tags, withTags };
    }
    case "instance":
      return taggedObject("instance", now.expectInstance(name), instanceLock);
    case "node":
      return taggedObject("node", now.expectNode(name), ({ uuid }) => nodeLock(uuid));
    case "nodegroup":
      return taggedObject("group", now.expectGroup(name), ({ uuid }) => groupLock(uuid));
    case "network":
      return taggedObject("network", now.expectNetwork(name), ({ uuid }) => networkLock(uuid));
  }
}

const taggedObject = <T extends Exclude<ObjectType, "disk" | "claim">>(
  type: T,
  one: ObjectsByType[T],
  lockOf: (one: ObjectsByType[T]) => LockName,
): Tagged => ({
  lock: lockOf(one),
  tags: one.tags,
  withTags: (tags) => put(type, { ...one, tags }),
});

/** OP_TAGS_GET: lists the tags of one object. */
export const getTags: Unit<"OP_TAGS_GET"> = {
  opcode: "OP_TAGS_GET",

  locks(op, now) {
    const { lock } = tagged(now, op);
    return op.use_locking && lock !== undefined ? asShared(lock) : [];
  },

  run: async (op, world) => tagged(world.config.snapshot, op).tags,
};

/** OP_TAGS_SET: adds tags to one object; existing ones stay. */
export const setTags: Unit<"OP_TAGS_SET"> = {
  opcode: "OP_TAGS_SET",

  locks: tagLocks,

  async run(op, world) {
    for (const tag of op.tags) orTagError(() => checkTag(tag));
    return changeConfig(world, op, (now) => {
      const target = tagged(now, op);
      const tags = orExecError(() => withTags(target.tags, op.tags), "Error while setting tag");
      return { changes: [target.withTags(tags)], value: null };
    });
  },
};

/** OP_TAGS_DEL: removes tags from one object, which must have all of them. */
export const deleteTags: Unit<"OP_TAGS_DEL"> = {
  opcode: "OP_TAGS_DEL",

  locks: tagLocks,

  async run(op, world) {
    for (const tag of op.tags) orTagError(() => checkTag(tag));
    return changeConfig(world, op, (now) => {
      const target = tagged(now, op);
      return { changes: [target.withTags(withoutTags(target.tags, op.tags))], value: null };
    });
  },
};

/** OP_TAGS_SEARCH: finds objects by a pattern for tags. */
export const searchTags: Unit<"OP_TAGS_SEARCH"> = {
  opcode: "OP_TAGS_SEARCH",

  locks: () => [],

  async run(op, world) {
    const pattern = patternOf(op.pattern);
    return Array.from(allTags(world.config.snapshot)).filter(([, tag]) => pattern.found(tag));
  },
};

function patternOf(text: string): Pattern {
  try {
    return compilePattern(text);
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    wrongInput(`Invalid search pattern '${text}': ${error.message}`);
  }
}

/** `[path, tag]`; the path is Ganeti's: `/instances/NAME`, `/nodegroup/NAME`. */
function* allTags(now: Snapshot): Iterable<readonly [string, string]> {
  for (const tag of now.cluster.tags) yield ["/cluster", tag];
  for (const one of now.instances()) {
    for (const tag of one.tags) yield [`/instances/${instanceLabel(one)}`, tag];
  }
  for (const { name, tags } of now.nodes()) for (const tag of tags) yield [`/nodes/${name}`, tag];
  for (const { name, tags } of now.groups()) {
    for (const tag of tags) yield [`/nodegroup/${name}`, tag];
  }
  for (const { name, tags } of now.networks()) {
    for (const tag of tags) yield [`/network/${name}`, tag];
  }
}

/** Objects with tags: how they are named, locked and changed. */
import type { ConfigChange, Snapshot } from "@ganeti-ts/config";
import type { LockName, LockRequest } from "@ganeti-ts/locking";
import type { OpcodeOf } from "@ganeti-ts/protocol";
import { asExclusive, groupLock, instanceLock, networkLock, nodeLock } from "../unit/locks.js";

type Named = Pick<OpcodeOf<"OP_TAGS_SET">, "kind" | "name">;

export interface Tagged {
  /** Undefined for the cluster itself. */
  readonly lock: LockName | undefined;
  readonly tags: readonly string[];
  /** The change that gives the object these tags. */
  readonly withTags: (tags: readonly string[]) => ConfigChange;
}

/** Exclusive, so that no other job changes the tags meanwhile. */
export function tagLocks(op: Named, now: Snapshot): readonly LockRequest[] {
  const { lock } = tagged(now, op);
  return lock === undefined ? [] : asExclusive(lock);
}

/** @throws ConfigError `unknown_entity` */
export function tagged(now: Snapshot, { kind, name = "" }: Named): Tagged {
  switch (kind) {
    case "cluster": {
      const { cluster } = now;
      const withTags = (tags: readonly string[]) =>
        ({ kind: "cluster", object: { ...cluster, tags } }) as const;
      return { lock: undefined, tags: cluster.tags, withTags };
    }
    case "instance": {
      const one = now.expectInstance(name);
      const withTags = (tags: readonly string[]) =>
        ({ kind: "put", type: "instance", object: { ...one, tags } }) as const;
      return { lock: instanceLock(one), tags: one.tags, withTags };
    }
    case "node": {
      const one = now.expectNode(name);
      const withTags = (tags: readonly string[]) =>
        ({ kind: "put", type: "node", object: { ...one, tags } }) as const;
      return { lock: nodeLock(one.uuid), tags: one.tags, withTags };
    }
    case "nodegroup": {
      const one = now.expectGroup(name);
      const withTags = (tags: readonly string[]) =>
        ({ kind: "put", type: "group", object: { ...one, tags } }) as const;
      return { lock: groupLock(one.uuid), tags: one.tags, withTags };
    }
    case "network": {
      const one = now.expectNetwork(name);
      const withTags = (tags: readonly string[]) =>
        ({ kind: "put", type: "network", object: { ...one, tags } }) as const;
      return { lock: networkLock(one.uuid), tags: one.tags, withTags };
    }
  }
}

/** StorageClaims: disk space that the configuration has added to nodes since their figures were queried. */
import { devicesOfClaim, nodesOfClaim, type Snapshot } from "@ganeti-ts/config";
import { type InstanceObject, type NodeUuid, usesLvm, usesNodeSpace } from "@ganeti-ts/protocol";
import type { InstanceEntry } from "./entries.js";
import { placedEntry } from "./instance-entries.js";

/** Kinds of storage whose free space nodes report; each has its own figures. */
export type StorageKind = "lvm" | "file" | "none";

/** The storage for disks of a template. */
export const storageKind = (template: string | undefined): StorageKind =>
  usesLvm(template) ? "lvm" : usesNodeSpace(template) ? "file" : "none";

interface Claim {
  readonly kind: StorageKind;
  readonly mib: number;
  /** Position in the order of changes and queries. */
  readonly order: number;
}

/**
 * Claims by node. Released space does not count before the node has reported it, so that free space is never
 * overestimated.
 */
export class StorageClaims {
  readonly #claims = new Map<NodeUuid, Claim[]>();

  /** Records the difference between two snapshots for an instance or a claim. */
  note(before: Snapshot, after: Snapshot, uuid: string, order: number): Concerned {
    const [old, now] = [chargeOf(before, uuid), chargeOf(after, uuid)];
    for (const node of now.nodes) {
      const known = old.kind === now.kind && old.nodes.has(node) ? old.mib : 0;
      if (now.mib <= known) continue;
      const claim = { kind: now.kind, mib: now.mib - known, order };
      this.#claims.set(node, [...(this.#claims.get(node) ?? []), claim]);
    }
    return {
      nodes: new Set([...old.nodes, ...now.nodes]),
      released: [...old.nodes].filter((node) => givesBack(old, now, node)),
    };
  }

  /** Space (MiB) claimed of that storage since the query of this position. */
  since(node: NodeUuid, kind: StorageKind, order: number): number {
    const claims = this.#claims.get(node);
    if (claims === undefined) return 0;
    return claims.reduce((sum, one) => {
      return one.kind === kind && one.order > order ? sum + one.mib : sum;
    }, 0);
  }

  /** Drops claims before the query of this position: all figures of the node are newer. */
  forget(node: NodeUuid, orderOf: () => number): void {
    const claims = this.#claims.get(node);
    if (claims === undefined) return;
    const until = orderOf();
    const left = claims.filter(({ order }) => order > until);
    if (left.length === 0) this.#claims.delete(node);
    else this.#claims.set(node, left);
  }
}

/** Nodes whose figures a change concerns. */
export interface Concerned {
  readonly nodes: ReadonlySet<NodeUuid>;
  /** Those that have more space or memory after the change. */
  readonly released: readonly NodeUuid[];
}

const givesBack = (old: Charge, now: Charge, node: NodeUuid): boolean =>
  old.kind !== now.kind ||
  old.mib > now.mib ||
  !now.nodes.has(node) ||
  (old.primary === node && now.primary !== node);

interface Charge {
  readonly kind: StorageKind;
  readonly mib: number;
  readonly primary: NodeUuid | undefined;
  readonly nodes: ReadonlySet<NodeUuid>;
}

/** Space that an instance takes on each of its nodes. Reservations and claims count as 0, because allocators subtract them. */
function chargeOf(now: Snapshot, uuid: string): Charge {
  const claim = now.get("claim", uuid);
  if (claim !== undefined) {
    const nodes = nodesOfClaim(claim);
    const kind = storageKind(devicesOfClaim(claim)[0]?.dev_type);
    return { kind, mib: 0, primary: nodes[0], nodes: new Set(nodes) };
  }
  const instance = now.get("instance", uuid);
  const placed = instance && placedEntry(now, instance);
  if (instance === undefined || placed === undefined) {
    return { kind: "none", mib: 0, primary: undefined, nodes: new Set() };
  }
  const [, entry] = placed.named;
  const kind = storageKind(entry.disk_template);
  const nodes = nodesOf(now, entry);
  return { kind, mib: spaceOf(instance, entry, kind), primary: instance.primary_node, nodes };
}

const spaceOf = (instance: InstanceObject, entry: InstanceEntry, kind: StorageKind): number =>
  instance.forthcoming || kind === "none" ? 0 : entry.disk_space_total;

const nodesOf = (now: Snapshot, { nodes }: InstanceEntry): ReadonlySet<NodeUuid> =>
  new Set(nodes.flatMap((name) => now.findNode(name)?.uuid ?? []));

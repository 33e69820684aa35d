/** Immutable snapshot of the cluster: objects by UUID, with an index. */
import type {
  Claim,
  ClaimUuid,
  ClusterObject,
  DiskObject,
  DiskUuid,
  GroupObject,
  GroupUuid,
  InstanceObject,
  InstanceUuid,
  NetworkObject,
  NetworkUuid,
  NodeObject,
  NodeUuid,
} from "@ganeti-ts/protocol";
import { ConfigError } from "./config-error.js";
import { entryPrefix, secondariesOf } from "./index-entries.js";
import { withKnownParts } from "./known-parts.js";
import { findUuid, notFound } from "./lookup.js";
import type { ConfigChange, ConfigurationContent, ObjectsByType, ObjectType } from "./objects.js";
import { SnapshotIndex, type Tables, type Touched } from "./snapshot-index.js";
import { SnapshotStep } from "./snapshot-step.js";
import { type Difference, differencesOf, type SortedMap, sortedMap } from "./sorted.js";

interface Head {
  readonly version: number;
  readonly serial: number;
  readonly ctime: number;
  readonly mtime: number;
  readonly cluster: ClusterObject;
}

/** Lists are sorted by UUID. n is the number of objects; lookups take O(log n). */
export class Snapshot {
  /** Version of the format of `config.data`. */
  readonly version: number;
  /** Number of times the configuration was written. */
  readonly serial: number;
  readonly ctime: number;
  readonly mtime: number;
  readonly cluster: ClusterObject;
  readonly #tables: Tables;
  readonly #index: SnapshotIndex;
  readonly #step: SnapshotStep;

  private constructor(head: Head, tables: Tables, index: SnapshotIndex, step: SnapshotStep) {
    this.version = head.version;
    this.serial = head.serial;
    this.ctime = head.ctime;
    this.mtime = head.mtime;
    this.cluster = head.cluster;
    this.#tables = tables;
    this.#index = index;
    this.#step = step;
  }

  /** O(n log n). Parts of the index are left out until they are needed; see `prepareIndex`. */
  static of(content: ConfigurationContent): Snapshot {
    const tables = {
      node: tableOf(content.nodes),
      group: tableOf(content.groups),
      instance: tableOf(content.instances),
      disk: tableOf(content.disks),
      network: tableOf(content.networks),
      claim: tableOf(content.claims ?? []),
    };
    return new Snapshot(content, tables, SnapshotIndex.of(tables), SnapshotStep.first());
  }

  /**
   * The next snapshot; this one is unchanged. O(changes * log n): everything else is shared. Serial numbers
   * and times are used as given.
   */
  with(changes: readonly ConfigChange[], head: { serial: number; mtime: number }): Snapshot {
    let { cluster } = this;
    const tables = { ...this.#tables };
    const touched = this.#touchedBy(changes);
    const isOwn = new Set<ObjectType>();
    for (const change of changes) {
      if (change.kind === "cluster") {
        cluster = withKnownParts(cluster, change.object);
        continue;
      }
      if (!isOwn.has(change.type)) {
        isOwn.add(change.type);
        Object.assign(tables, { [change.type]: tables[change.type].clone() });
      }
      if (change.kind === "remove") tables[change.type].delete(change.uuid);
      else (tables[change.type] as SortedMap<unknown>).set(change.object.uuid, change.object);
    }
    const index = this.#index.with(tables, touched);
    const { version, ctime } = this;
    const step = this.#step.next(changes);
    return new Snapshot({ version, ctime, cluster, ...head }, tables, index, step);
  }

  /**
   * Builds a part of the index that has been left out; false if there is none. Otherwise the first lookup that needs it
   * builds it: some 100 ms for each 100 000 instances.
   */
  prepareIndex(): boolean {
    return this.#index.buildNext();
  }

  /** The whole content, to be stored or written. */
  content(): ConfigurationContent {
    const { version, serial, ctime, mtime, cluster } = this;
    return {
      version,
      serial,
      ctime,
      mtime,
      cluster,
      nodes: [...this.nodes()],
      groups: [...this.groups()],
      instances: [...this.instances()],
      disks: [...this.disks()],
      networks: [...this.networks()],
      claims: [...this.claims()],
    };
  }

  get<T extends ObjectType>(type: T, uuid: string): ObjectsByType[T] | undefined {
    return (this.#tables[type] as SortedMap<ObjectsByType[T]>).get(uuid);
  }

  all<T extends ObjectType>(type: T): Iterable<ObjectsByType[T]> {
    const table = this.#tables[type] as SortedMap<ObjectsByType[T]>;
    return { [Symbol.iterator]: () => table.values() };
  }

  /**
   * Objects that differ from those of an earlier snapshot, by UUID. O(changed * log n) if this snapshot was
   * derived from the other by a few dozen steps, O(different * log n) by more of them, else O(n).
   */
  differencesFrom<T extends ObjectType>(
    earlier: Snapshot,
    type: T,
  ): readonly Difference<ObjectsByType[T]>[] {
    type Table = SortedMap<ObjectsByType[T]>;
    const [old, now] = [earlier.#tables[type] as Table, this.#tables[type] as Table];
    const changed = this.#step.changedSince(earlier.#step, type);
    if (changed === undefined) return differencesOf(old, now);
    return changed.flatMap((key): Difference<ObjectsByType[T]> | [] => {
      const [before, after] = [old.get(key), now.get(key)];
      return before === after ? [] : { key, before, after };
    });
  }

  count(type: ObjectType): number {
    return this.#tables[type].size;
  }

  /** Looks up a UUID, a name, or a unique beginning of a name; undefined without a match or with several. */
  find<T extends ObjectType>(type: T, nameOrUuid: string): ObjectsByType[T] | undefined {
    const uuid = findUuid(this, type, nameOrUuid);
    return uuid === undefined ? undefined : this.get(type, uuid);
  }

  /** @throws ConfigError `unknown_entity` */
  expect<T extends ObjectType>(type: T, nameOrUuid: string): ObjectsByType[T] {
    const found = this.find(type, nameOrUuid);
    if (found === undefined) throw new ConfigError("unknown_entity", notFound(type, nameOrUuid));
    return found;
  }

  node(uuid: NodeUuid): NodeObject | undefined {
    return this.get("node", uuid);
  }

  group(uuid: GroupUuid): GroupObject | undefined {
    return this.get("group", uuid);
  }

  instance(uuid: InstanceUuid): InstanceObject | undefined {
    return this.get("instance", uuid);
  }

  disk(uuid: DiskUuid): DiskObject | undefined {
    return this.get("disk", uuid);
  }

  network(uuid: NetworkUuid): NetworkObject | undefined {
    return this.get("network", uuid);
  }

  claim(uuid: ClaimUuid): Claim | undefined {
    return this.get("claim", uuid);
  }

  nodes(): Iterable<NodeObject> {
    return this.all("node");
  }

  groups(): Iterable<GroupObject> {
    return this.all("group");
  }

  /** Includes forthcoming instances. */
  instances(): Iterable<InstanceObject> {
    return this.all("instance");
  }

  disks(): Iterable<DiskObject> {
    return this.all("disk");
  }

  networks(): Iterable<NetworkObject> {
    return this.all("network");
  }

  /** Resources that jobs hold, of running ones and of those that left something behind. */
  claims(): Iterable<Claim> {
    return this.all("claim");
  }

  get nodeCount(): number {
    return this.count("node");
  }

  get groupCount(): number {
    return this.count("group");
  }

  get instanceCount(): number {
    return this.count("instance");
  }

  get diskCount(): number {
    return this.count("disk");
  }

  get networkCount(): number {
    return this.count("network");
  }

  findNode(nameOrUuid: string): NodeObject | undefined {
    return this.find("node", nameOrUuid);
  }

  findGroup(nameOrUuid: string): GroupObject | undefined {
    return this.find("group", nameOrUuid);
  }

  findInstance(nameOrUuid: string): InstanceObject | undefined {
    return this.find("instance", nameOrUuid);
  }

  findNetwork(nameOrUuid: string): NetworkObject | undefined {
    return this.find("network", nameOrUuid);
  }

  /** @throws ConfigError `unknown_entity`; likewise the three functions below */
  expectNode(nameOrUuid: string): NodeObject {
    return this.expect("node", nameOrUuid);
  }

  expectGroup(nameOrUuid: string): GroupObject {
    return this.expect("group", nameOrUuid);
  }

  expectInstance(nameOrUuid: string): InstanceObject {
    return this.expect("instance", nameOrUuid);
  }

  expectNetwork(nameOrUuid: string): NetworkObject {
    return this.expect("network", nameOrUuid);
  }

  /**
   * Instances with this primary node, and those with a copy of their disks on it. O(found), for each of the lists
   * that is read.
   */
  instancesOfNode(uuid: NodeUuid): {
    readonly primary: readonly InstanceObject[];
    readonly secondary: readonly InstanceObject[];
  } {
    const found = (kind: "primary" | "secondary") => this.#instancesBy(kind, uuid);
    return {
      get primary() {
        return found("primary");
      },
      get secondary() {
        return found("secondary");
      },
    };
  }

  /** Forthcoming ones among the instances of a node. O(found). */
  forthcomingOfNode(uuid: NodeUuid): readonly InstanceObject[] {
    return this.#instancesBy("forthcoming", uuid);
  }

  /** Claims that hold something on the node. O(found). */
  claimsOfNode(uuid: NodeUuid): readonly Claim[] {
    return this.keysOf("claimed", uuid).flatMap((one) => this.get("claim", one) ?? []);
  }

  nodesOfGroup(uuid: GroupUuid): readonly NodeObject[] {
    return this.keysOf("member", uuid).flatMap((one) => this.get("node", one) ?? []);
  }

  /** O(found). */
  masterCandidates(): readonly NodeObject[] {
    return this.keysOf("candidate").flatMap((uuid) => this.get("node", uuid) ?? []);
  }

  /** O(found). */
  offlineNodes(): readonly NodeObject[] {
    return this.keysOf("offline").flatMap((uuid) => this.get("node", uuid) ?? []);
  }

  /** The instance to which the disk is attached. */
  instanceOfDisk(uuid: DiskUuid): InstanceObject | undefined {
    return this.#instancesBy("attached", uuid)[0];
  }

  /** In order; disks that are missing are skipped. */
  disksOf(instance: InstanceObject): readonly DiskObject[] {
    return instance.disks.flatMap((uuid) => this.disk(uuid) ?? []);
  }

  /** Instances with a NIC in that network. */
  instancesOfNetwork(uuid: NetworkUuid): readonly InstanceObject[] {
    return this.#instancesBy("connected", uuid);
  }

  /** Minors of mirrors on the node, each with the UUID of its disk or claim. O(their number). */
  minorsOf(node: NodeUuid): readonly (readonly [minor: number, owner: DiskUuid | ClaimUuid])[] {
    return this.keysOf("minor", node).map((key) => {
      const [minor = "", owner = ""] = key.split("\0");
      return [Number(minor), owner as DiskUuid | ClaimUuid] as const;
    });
  }

  /** Minors of mirrors on the node; for this package. O(their number). */
  minorNumbersOf(node: NodeUuid): readonly number[] {
    const found: number[] = [];
    this.#index.eachSuffix(entryPrefix("minor", node), (key, at) => {
      found.push(Number.parseInt(key.slice(at, key.indexOf("\0", at)), 10));
    });
    return found;
  }

  /** The suffixes of all index entries that begin with `parts`; for this package. */
  keysOf(...parts: readonly (string | number)[]): readonly string[] {
    return this.#index.suffixesOf(entryPrefix(...parts));
  }

  /** The suffixes of index entries that begin with exactly this text; for this package. */
  suffixesOf(prefix: string, countMax: number): readonly string[] {
    return this.#index.suffixesOf(prefix, countMax);
  }

  #instancesBy(kind: string, key: string): readonly InstanceObject[] {
    const found: InstanceObject[] = [];
    let before: string | undefined;
    // Ascending: an instance with several NICs in a network is listed several times in a row.
    for (const uuid of this.keysOf(kind, key)) {
      if (uuid === before) continue;
      before = uuid;
      const instance = this.#tables.instance.get(uuid);
      if (instance !== undefined) found.push(instance);
    }
    return found;
  }

  /** Objects whose entries change: secondaries of an instance depend on its disks. */
  #touchedBy(changes: readonly ConfigChange[]): readonly Touched[] {
    const touched = new Map<string, Touched>();
    const touch = (type: ObjectType, uuid: string) =>
      touched.set(`${type}/${uuid}`, { type, uuid });
    for (const change of changes) {
      if (change.kind === "cluster") continue;
      const uuid = change.kind === "put" ? change.object.uuid : change.uuid;
      touch(change.type, uuid);
      if (change.type !== "disk") continue;
      for (const owner of this.keysOf("attached", uuid)) touch("instance", owner);
    }
    return [...touched.values()];
  }
}

/** The secondary nodes of an instance: nodes of its drbd disks other than the primary. */
export const secondaryNodes = (now: Snapshot, instance: InstanceObject): readonly NodeUuid[] =>
  secondariesOf(instance, (uuid) => now.get("disk", uuid)) as NodeUuid[];

const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

function tableOf<O extends { readonly uuid: string }>(objects: readonly O[]): SortedMap<O> {
  const isSorted = objects.every(({ uuid }, at) => at === 0 || (objects[at - 1] as O).uuid < uuid);
  const sorted = isSorted ? objects : objects.toSorted((a, b) => byText(a.uuid, b.uuid));
  return sortedMap(
    sorted.map(({ uuid }) => uuid),
    sorted,
  );
}

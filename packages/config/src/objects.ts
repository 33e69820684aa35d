/** Types of configuration objects, and of changes to them. */
import type {
  Claim,
  ClusterObject,
  DiskObject,
  GroupObject,
  InstanceObject,
  NetworkObject,
  NodeObject,
} from "@ganeti-ts/protocol";

/** The objects of a configuration by type. */
export interface ObjectsByType {
  readonly node: NodeObject;
  readonly group: GroupObject;
  readonly instance: InstanceObject;
  readonly disk: DiskObject;
  readonly network: NetworkObject;
  /** Resources that jobs hold; seen by no reader of instances or disks. */
  readonly claim: Claim;
}

/** Type of an object: one of `objectTypes`. */
export type ObjectType = keyof ObjectsByType;

/** Types of objects besides the cluster itself. */
export const objectTypes = ["node", "group", "instance", "disk", "network", "claim"] as const;

/** An object in its new form; its serial number is that of the form it was derived from. */
export type Put = {
  readonly [T in ObjectType]: {
    readonly kind: "put";
    readonly type: T;
    readonly object: ObjectsByType[T];
  };
}[ObjectType];

/** A change that removes an object. */
export interface Removal {
  readonly kind: "remove";
  readonly type: ObjectType;
  readonly uuid: string;
}

/** A change that replaces the cluster object. */
export interface ClusterPut {
  readonly kind: "cluster";
  readonly object: ClusterObject;
}

/** One object is added, replaced or removed. */
export type ConfigChange = Put | Removal | ClusterPut;

/** The change that adds or replaces an object. */
export const put = <T extends ObjectType>(type: T, object: ObjectsByType[T]): Put =>
  ({ kind: "put", type, object }) as Put;

/** The change that removes an object. */
export const removal = (type: ObjectType, uuid: string): Removal => ({
  kind: "remove",
  type,
  uuid,
});

/** The change that replaces the cluster object. */
export const putCluster = (object: ClusterObject): ClusterPut => ({ kind: "cluster", object });

/** The whole configuration, as the initial content and as the content of a file. */
export interface ConfigurationContent {
  /** Version of the format: `major * 1000000 + minor * 10000`. */
  readonly version: number;
  /** Number of times the whole was written. */
  readonly serial: number;
  readonly ctime: number;
  readonly mtime: number;
  readonly cluster: ClusterObject;
  readonly nodes: readonly NodeObject[];
  readonly groups: readonly GroupObject[];
  readonly instances: readonly InstanceObject[];
  readonly disks: readonly DiskObject[];
  readonly networks: readonly NetworkObject[];
  /** Absent from files of Ganeti. */
  readonly claims?: readonly Claim[];
}

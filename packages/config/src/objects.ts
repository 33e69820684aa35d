/** The kinds of objects in a configuration, and changes to them. */
import type {
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
}

/** Type of an object: one of `objectTypes`. */
export type ObjectType = keyof ObjectsByType;

/** Types of objects besides the cluster itself. */
export const objectTypes = ["node", "group", "instance", "disk", "network"] as const;

/** An object in its new form; the serial number is that of the form it was made from. */
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

/** The whole of it: what a configuration starts with, and what a file holds. */
export interface ConfigurationContent {
  /** Of the format: `major * 1000000 + minor * 10000`. */
  readonly version: number;
  /** How often the whole was written. */
  readonly serial: number;
  readonly ctime: number;
  readonly mtime: number;
  readonly cluster: ClusterObject;
  readonly nodes: readonly NodeObject[];
  readonly groups: readonly GroupObject[];
  readonly instances: readonly InstanceObject[];
  readonly disks: readonly DiskObject[];
  readonly networks: readonly NetworkObject[];
}

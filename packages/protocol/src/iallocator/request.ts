/** Decoded allocator request: names of objects in the cluster are replaced by indices. */
import type { ClusterData, InstanceData } from "../cluster-data.js";

/** All evacuation modes, as Ganeti writes them. */
export const evacuationModes = ["primary-only", "secondary-only", "all"] as const;
/** Instances that leave a node: its primaries, its secondaries, or both. */
export type EvacuationMode = (typeof evacuationModes)[number];

/** An instance to place: on one node, or on two for a mirrored instance. */
export interface Wanted {
  readonly instance: InstanceData;
  readonly requiredNodes: number;
}

/** A request of the iallocator protocol, one variant per type; nodes and instances are indices. */
export type AllocatorRequest =
  | ({
      readonly type: "allocate";
      /** Name or UUID, resolved by the core: an unknown one is an answer, not an error. */
      readonly groupName: string | undefined;
      /** Full node names; unknown ones match nothing. */
      readonly restrictToNodes: readonly string[] | undefined;
    } & Wanted)
  | {
      readonly type: "multi-allocate";
      readonly wanted: readonly Wanted[];
      readonly groupName: string | undefined;
    }
  /** Number of instances of this kind that can be allocated. Not in Ganeti. */
  | ({
      readonly type: "capacity";
      readonly groupName: string | undefined;
      readonly restrictToNodes: readonly string[] | undefined;
      /** Negative: no limit. */
      readonly countMax: number;
    } & Wanted)
  | { readonly type: "allocate-secondary"; readonly instanceIndex: number }
  | {
      readonly type: "relocate";
      readonly instanceIndex: number;
      readonly requiredNodes: number;
      readonly relocateFrom: readonly number[];
    }
  | {
      readonly type: "node-evacuate";
      readonly instanceIndices: readonly number[];
      readonly mode: EvacuationMode;
    }
  | {
      readonly type: "change-group";
      readonly instanceIndices: readonly number[];
      /** Empty: any other group. */
      readonly targetGroups: readonly number[];
    }
  /** Options and limits for balancing a group. Not in Ganeti. */
  | {
      readonly type: "balance";
      /** Name or UUID, resolved by the core; required if several groups have nodes. */
      readonly groupName: string | undefined;
      /** Negative: no limit. */
      readonly movesMax: number;
      readonly evacuationMode: boolean;
      readonly diskMoves: boolean;
      readonly instanceMoves: boolean;
      readonly restrictedMigration: boolean;
      readonly ignoreSoftErrors: boolean;
      readonly minGain: number;
      readonly minGainLimit: number;
      readonly minScore: number;
      /** The only instances that may be moved; empty: all. */
      readonly selectedIndices: readonly number[];
      readonly excludedIndices: readonly number[];
    };

/** A whole message: the present cluster and the request. */
export interface AllocatorMessage {
  readonly cluster: ClusterData;
  readonly request: AllocatorRequest;
}

/** Answer to Ganeti. `result` is a list, or the secondary's name for allocate-secondary. */
export interface AllocatorAnswer {
  readonly success: boolean;
  readonly info: string;
  readonly result: unknown;
}

/** Operations of the simulator: their parameters and reports. */
import type { AllocationPolicy, DiskTemplate } from "@ganeti-ts/protocol";

/** Size and number of instances to place. Sizes in MiB. */
export interface NewInstances {
  /** Instances are named `PREFIX-1`, `PREFIX-2`, … */
  readonly prefix: string;
  readonly count: number;
  readonly memoryMib: number;
  readonly diskMib: number;
  readonly vcpus: number;
  readonly diskTemplate: DiskTemplate;
  /** Name of the only group to use; undefined: any. */
  readonly group: string | undefined;
}

/** Limits of a node group; undefined leaves the present one. */
export interface GroupLimits {
  readonly group: string;
  readonly allocationPolicy: AllocationPolicy | undefined;
  readonly vcpuRatio: number | undefined;
  readonly spindleRatio: number | undefined;
}

/** A change of the simulated cluster, or a question about it. */
export type Operation =
  | { readonly kind: "add-nodes"; readonly like: string; readonly count: number }
  | { readonly kind: "set-offline"; readonly node: string; readonly offline: boolean }
  | ({ readonly kind: "add-instances" } & NewInstances)
  | { readonly kind: "balance"; readonly group: string; readonly evacuationMode: boolean }
  | { readonly kind: "evacuate"; readonly node: string }
  | { readonly kind: "capacity"; readonly diskTemplate: DiskTemplate }
  | { readonly kind: "reboots"; readonly fullEvacuation: boolean }
  | ({ readonly kind: "limits" } & GroupLimits);

/** Sources of a cluster. */
export type Source =
  /** Text of `hbal -S` or `hscan`. */
  | { readonly kind: "text"; readonly text: string }
  /** Bodies of the RAPI resources with `?bulk=1`. */
  | { readonly kind: "rapi"; readonly bodies: Readonly<Record<string, Uint8Array>> }
  /** Empty nodes: `preferred,20,1t,64g,16`, one specification per group. */
  | { readonly kind: "empty"; readonly specifications: readonly string[] };

/** Outcome of an operation, in words. */
export interface Report {
  /** One line: the outcome with its figures. */
  readonly title: string;
  readonly lines: readonly string[];
  /** Score before the first step and after each step, for operations that make steps. */
  readonly scores: readonly number[];
  /** Whether the user stopped the operation; it is then complete up to the last step. */
  readonly stopped: boolean;
}

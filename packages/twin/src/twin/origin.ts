/** TwinOrigin: all that a twin takes from another cluster. */
import type { ConfigurationContent } from "@ganeti-ts/config";
import type { FilterRule, InstanceStatus, Random } from "@ganeti-ts/protocol";

/** Figures that a machine reports. Sizes in MiB; absent ones are unknown. */
export interface MachineFigures {
  readonly memoryTotalMib: number;
  readonly memoryNodeMib: number;
  readonly memoryFreeMib: number;
  readonly cpuTotal: number;
  readonly cpuNode: number;
  readonly cpuNodes?: number;
  readonly cpuSockets?: number;
  /** Size of the storage of the first enabled disk template that has one. */
  readonly diskTotalMib?: number;
  readonly diskFreeMib?: number;
  /** Only with exclusive storage. */
  readonly spindleTotal?: number;
  readonly spindleFree?: number;
}

/** State of an instance as reported by its cluster. */
export interface InstanceState {
  readonly status: InstanceStatus;
  /** Memory that it uses, or would use. */
  readonly memoryMib: number;
  readonly vcpus: number;
}

/** Figures that nodes report, by name. */
export interface Figures {
  /** `silent`: online according to the configuration, but without an answer. */
  readonly machines: ReadonlyMap<string, MachineFigures | "silent">;
  readonly instances: ReadonlyMap<string, InstanceState>;
}

/** The configuration and the figures of a cluster, without its secrets. */
export interface TwinOrigin {
  readonly content: ConfigurationContent;
  readonly filters: readonly FilterRule[];
  /** Undefined: the source has none. */
  readonly figures: Figures | undefined;
  /** Names of operating systems, `debian+stable`, that the nodes must have. */
  readonly systems: readonly string[];
  /** Parts of the source that the twin cannot have, for people. */
  readonly remarks: readonly string[];
}

/** Ports for values that the source does not contain: identifiers, secrets, times. */
export interface Making {
  readonly random: Random;
  /** Seconds since the epoch. */
  readonly now: number;
}

/** A source that cannot be read as a cluster. */
export class TwinError extends Error {
  override readonly name = "TwinError";
}

/** What a call on a simulated node can see and change. */
import type { NodeCallArguments, NodeCallName, NodeCallValue } from "@ganeti-ts/node-calls";
import type { Durations } from "./durations.js";
import type { HookScript } from "./hook-script.js";
import type { HostState, SharedState } from "./node-state.js";

/** The node that was called, at one moment. Whoever changes a host but this one touches it. */
export interface Site {
  /** UUID of the node. */
  readonly uuid: string;
  readonly host: HostState;
  readonly shared: SharedState;
  readonly nowMicros: number;
  readonly durations: Durations;
  readonly seed: number;
  /** Hooks, of all nodes. */
  readonly scripts: readonly HookScript[];
  /** Another node by UUID; undefined: there is none. */
  peer(uuid: string): HostState | undefined;
  /** Another node by host name or address. */
  hostAt(address: string): HostState | undefined;
  touch(host: HostState): void;
  /** Whether the address belongs to this node: one that it was introduced with, or that it takes. */
  owns(address: string): boolean;
}

export interface CallOnHost<Name extends NodeCallName> {
  /** Milliseconds until it is done, by what the node is like when it is called. */
  readonly durationMs?: (site: Site, args: NodeCallArguments<Name>) => number;
  /** Does it, all at once. Throws a NodeFault. */
  readonly act: (site: Site, args: NodeCallArguments<Name>) => NodeCallValue<Name>;
}

/** What a part of the simulation knows how to do. */
export type CallsOnHost<Names extends NodeCallName> = {
  readonly [Name in Names]: CallOnHost<Name> | CallOnHost<Name>["act"];
};

/** A call that fails, with the node's message. */
export class NodeFault extends Error {
  override readonly name = "NodeFault";
}

/** Milliseconds for so many MiB. */
export const copyMs = (sizeMib: number, speed: number): number => (sizeMib / speed) * 1000;

/** Site: the view of a call on its simulated node. */
import type { NodeCallArguments, NodeCallName, NodeCallValue } from "@ganeti-ts/node-calls";
import type { Durations } from "./durations.js";
import type { HookScript } from "./hook-script.js";
import type { HostState, SharedState } from "./node-state.js";

/** The called node at one point in time. A call that changes another host has to touch it. */
export interface Site {
  /** UUID of the node. */
  readonly uuid: string;
  readonly host: HostState;
  readonly shared: SharedState;
  readonly nowMicros: number;
  readonly durations: Durations;
  readonly seed: number;
  /** Hook scripts of all nodes. */
  readonly scripts: readonly HookScript[];
  /** Another node by UUID, if it exists. */
  peer(uuid: string): HostState | undefined;
  /** Another node by host name or address. */
  hostAt(address: string): HostState | undefined;
  touch(host: HostState): void;
  /** Whether the address belongs to this node, by its introduction or taken over. */
  owns(address: string): boolean;
}

export interface CallOnHost<Name extends NodeCallName> {
  /** Duration (ms), given the state of the node at the start of the call. */
  readonly durationMs?: (site: Site, args: NodeCallArguments<Name>) => number;
  /** Takes effect at once. @throws NodeFault */
  readonly act: (site: Site, args: NodeCallArguments<Name>) => NodeCallValue<Name>;
}

/** Implementations of calls by one part of the simulation. */
export type CallsOnHost<Names extends NodeCallName> = {
  readonly [Name in Names]: CallOnHost<Name> | CallOnHost<Name>["act"];
};

/** A call that fails, with the node's message. */
export class NodeFault extends Error {
  override readonly name = "NodeFault";
}

/** Duration (ms) of copying a size. */
export const copyMs = (sizeMib: number, speed: number): number => (sizeMib / speed) * 1000;

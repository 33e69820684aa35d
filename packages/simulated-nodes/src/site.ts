/** Site: the view of a call on its simulated node. */
import type { NodeCallArguments, NodeCallName, NodeCallValue } from "@ganeti-ts/node-calls";
import type { Durations } from "./durations.js";
import type { HookScript } from "./hook-script.js";
import type { Touched } from "./host-states.js";
import type { HostState, SharedState } from "./node-state.js";

/** The whole simulation, as its nodes see it. */
export interface Surroundings {
  readonly shared: SharedState;
  readonly durations: Durations;
  readonly seed: number;
  /** Hook scripts of all nodes. */
  readonly scripts: readonly HookScript[];
  hostOf(uuid: string): HostState | undefined;
  hostAt(address: string): HostState | undefined;
  owns(uuid: string, name: string, address: string): boolean;
}

/** The called node at one point in time. A call that changes another host has to touch it. */
export class Site {
  readonly #around: Surroundings;
  readonly #touched: Touched;

  constructor(
    /** UUID of the node. */
    readonly uuid: string,
    readonly host: HostState,
    readonly nowMicros: number,
    around: Surroundings,
    touched: Touched,
  ) {
    this.#around = around;
    this.#touched = touched;
  }

  get shared(): SharedState {
    return this.#around.shared;
  }

  get durations(): Durations {
    return this.#around.durations;
  }

  get seed(): number {
    return this.#around.seed;
  }

  get scripts(): readonly HookScript[] {
    return this.#around.scripts;
  }

  /** Another node by UUID, if it exists. */
  peer(uuid: string): HostState | undefined {
    return this.#around.hostOf(uuid);
  }

  /** Another node by host name or address. */
  hostAt(address: string): HostState | undefined {
    return this.#around.hostAt(address);
  }

  touch(host: HostState): void {
    this.#touched.add(host);
  }

  /** Whether the address belongs to this node, by its introduction or taken over. */
  owns(address: string): boolean {
    return this.#around.owns(this.uuid, this.host.name, address);
  }
}

type Act<Name extends NodeCallName, Result> = (site: Site, args: NodeCallArguments<Name>) => Result;

interface CallOnHost<Name extends NodeCallName> {
  /** Duration (ms), given the state of the node at the start of the call. */
  readonly durationMs?: Act<Name, number>;
  /** Takes effect at once; no result stands for null. @throws NodeFault */
  readonly act:
    | Act<Name, NodeCallValue<Name>>
    | (NodeCallValue<Name> extends null ? Act<Name, void> : never);
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

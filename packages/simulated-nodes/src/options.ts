/** SimulatedNodesOptions: machines of a simulation, their clock and their store. */
import type { Clock } from "@ganeti-ts/protocol";
import type { Durations } from "./durations.js";
import type { HostSpecification } from "./host.js";
import type { KeptStates, NodeStates } from "./node-states.js";

/** Options of `SimulatedNodes.open`. */
export interface SimulatedNodesOptions {
  readonly clock: Clock;
  /** The machines; those with saved states continue from these. */
  readonly hosts: readonly HostSpecification[];
  /** Where states are saved with each change. Default: they end with the simulation. */
  readonly states?: NodeStates;
  /** States to begin with where none are saved; they are changed in place. */
  readonly begin?: KeptStates;
  /** Default: none. */
  readonly durations?: Durations;
  /** Seed of all randomness. Default 0. */
  readonly seed?: number;
  /**
   * Creates a machine for a node introduced under an unknown name; without it such a node has no
   * machine.
   */
  readonly newHost?: (name: string) => HostSpecification;
  /**
   * Whether the machine with this host name has an interface with the address, in addition to those
   * of its introduction.
   */
  readonly takesAddress?: (name: string, address: string) => boolean;
}

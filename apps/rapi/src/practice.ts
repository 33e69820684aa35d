/** Practice: port for simulated failures of nodes' machines. */

/** A type, not an interface, so that it is JSON. */
export type MachineState = {
  readonly name: string;
  /** A machine without power answers no calls. */
  readonly powered: boolean;
  /**
   * Factor by which its calls and the synchronisation of its mirrors are slowed down; 1 is normal.
   */
  readonly slowness: number;
  /** Names of the instances of its hypervisor. */
  readonly instances: readonly string[];
  readonly volume_groups: {
    readonly [name: string]: { readonly size_mib: number; readonly free_mib: number };
  };
  readonly missing_devices: readonly string[];
};

/** `device` and `volume_group` default to the first of the node. */
export type SimulatedFailure =
  | { readonly action: "kill" | "revive" }
  | { readonly action: "slow"; readonly times: number }
  | { readonly action: "fill-disk"; readonly free_mib: number }
  | { readonly action: "empty-disk" }
  | { readonly action: "break-disk" | "mend-disk"; readonly device?: string | undefined }
  | { readonly action: "crash" | "user-shutdown"; readonly instance: string };

/** `node` is a name or a UUID. Methods return undefined for an unknown node. */
export interface Practice {
  state(node: string): MachineState | undefined;
  /** @throws PracticeError if the machine has no such part, or is in that state already */
  happen(node: string, failure: SimulatedFailure): Promise<MachineState | undefined>;
}

export class PracticeError extends Error {
  override readonly name = "PracticeError";
}

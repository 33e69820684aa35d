/** Practising failures: what can happen to the machine of a simulated node, and how the machine is. */

/** A type, not an interface: so it is JSON. */
export type MachineState = {
  readonly name: string;
  /** False: it answers nobody. */
  readonly powered: boolean;
  /** Its calls and the synchronisation of its mirrors take so many times as long; 1: as usual. */
  readonly slowness: number;
  /** Names of the instances that its hypervisor has. */
  readonly instances: readonly string[];
  readonly volume_groups: {
    readonly [name: string]: { readonly size_mib: number; readonly free_mib: number };
  };
  readonly missing_devices: readonly string[];
};

/** `device` and `volume_group` default to the first of the node. */
export type Mishap =
  | { readonly action: "kill" | "revive" }
  | { readonly action: "slow"; readonly times: number }
  | { readonly action: "fill-disk"; readonly free_mib: number }
  | { readonly action: "empty-disk" }
  | { readonly action: "break-disk" | "mend-disk"; readonly device?: string | undefined }
  | { readonly action: "crash" | "user-shutdown"; readonly instance: string };

/** `node` is a name or a UUID. Methods give undefined for a node that the cluster does not have. */
export interface Practice {
  state(node: string): MachineState | undefined;
  /** @throws MishapError where the machine has no such thing, or is like that already */
  happen(node: string, mishap: Mishap): Promise<MachineState | undefined>;
}

export class MishapError extends Error {
  override readonly name = "MishapError";
}

/** Instances on a node: which run, and what to do with them. */
import type { Json } from "@ganeti-ts/protocol";
import type { Call, Done } from "./call.js";
import type { DiskOnNode, HypervisorOnNode, InstanceOnNode, NicOnNode } from "./objects.js";

/** `shutdown`: stopped by its user and not yet put away by the hypervisor. */
export type RuntimeState = "running" | "paused" | "shutdown";

/** An instance that a hypervisor has. */
export interface RunningInstance {
  readonly hypervisor: string;
  readonly memoryMib: number;
  readonly vcpus: number;
  readonly state: RuntimeState;
  readonly cpuSeconds: number;
}

/** How to get at a console; which keys there are depends on the kind. Ganeti's own names. */
export interface Console {
  readonly instance: string;
  readonly kind: "ssh" | "vnc" | "spice" | "msg";
  readonly message?: string;
  readonly host?: string;
  readonly port?: number;
  readonly user?: string;
  readonly command?: string;
  readonly display?: string;
}

export type MigrationStatus = "active" | "completed" | "failed" | "cancelled";

/** A device that comes or goes while the instance runs. */
export type HotplugDevice =
  | { readonly type: "disk"; readonly device: DiskOnNode; readonly index: number }
  | { readonly type: "nic"; readonly device: NicOnNode; readonly index: number };

interface OfInstance {
  readonly instance: InstanceOnNode;
}

export interface InstanceCalls {
  readonly instance_list: Call<
    { readonly hypervisors: readonly HypervisorOnNode[] },
    readonly string[]
  >;
  readonly all_instances_info: Call<
    { readonly hypervisors: readonly HypervisorOnNode[] },
    { readonly [name: string]: RunningInstance }
  >;
  /** Null if it does not run. */
  readonly instance_info: Call<
    { readonly name: string; readonly hypervisor: HypervisorOnNode },
    RunningInstance | null
  >;
  readonly instance_start: Call<OfInstance & { readonly startupPaused: boolean }, Done>;
  /** Waits for the instance to stop by itself, that long; then stops it. */
  readonly instance_shutdown: Call<OfInstance & { readonly timeoutSeconds: number }, Done>;
  /** Fails if the instance does not run. A full reboot is a shutdown and a start, not this. */
  readonly instance_reboot: Call<
    OfInstance & { readonly type: "soft" | "hard"; readonly shutdownTimeoutSeconds: number },
    Done
  >;
  readonly instance_balloon_memory: Call<OfInstance & { readonly memoryMib: number }, Done>;
  readonly instance_console: Call<
    OfInstance & { readonly nodeName: string; readonly groupParameters: Json },
    Console
  >;
  /** Fails if it cannot be. */
  readonly instance_migratable: Call<OfInstance, Done>;

  /** In this order: `migration_info` on the source, … */
  readonly migration_info: Call<OfInstance, Json>;
  /** … `accept_instance` on the target, … */
  readonly accept_instance: Call<
    OfInstance & { readonly info: Json; readonly target: string },
    Done
  >;
  /** … `instance_migrate` on the source, … */
  readonly instance_migrate: Call<
    OfInstance & { readonly clusterName: string; readonly target: string; readonly live: boolean },
    Done
  >;
  /** … asked until it is no longer active, … */
  readonly instance_get_migration_status: Call<
    OfInstance,
    {
      readonly status: MigrationStatus;
      readonly transferredMib: number;
      readonly totalMib: number;
    }
  >;
  /** … then on the source … */
  readonly instance_finalize_migration_src: Call<
    OfInstance & { readonly success: boolean; readonly live: boolean },
    Done
  >;
  /** … and on the target. */
  readonly instance_finalize_migration_dst: Call<
    OfInstance & { readonly info: Json; readonly success: boolean },
    Done
  >;

  /** Runs the create script of its OS. */
  readonly instance_os_add: Call<
    OfInstance & { readonly reinstall: boolean; readonly debugLevel: number },
    Done
  >;
  readonly instance_run_rename: Call<
    OfInstance & { readonly oldName: string; readonly debugLevel: number },
    Done
  >;
  /** Fails where devices cannot come and go while the instance runs. */
  readonly hotplug_supported: Call<OfInstance, Done>;
  readonly hotplug_device: Call<
    OfInstance & { readonly action: "add" | "remove" | "modify"; readonly what: HotplugDevice },
    Done
  >;
  /** Fails with what is wrong. */
  readonly hypervisor_validate_params: Call<HypervisorOnNode, Done>;
}

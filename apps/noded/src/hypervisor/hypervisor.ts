/** Hypervisor: the operations of one kind of virtual machine on a node. */
import type {
  Console,
  ConsoleRequest,
  HotplugDevice,
  HypervisorFigures,
  InstanceOnNode,
  NodeCallValue,
  RunningInstance,
} from "@ganeti-ts/node-calls";
import type { Json } from "@ganeti-ts/protocol";

/** Parameters of a hypervisor or an instance, by name. */
export type HvParams = InstanceOnNode["hvparams"];

/** A disk as an instance gets it: open, with its link. */
export interface AttachedDisk {
  readonly disk: InstanceOnNode["disks"][number];
  /** Null for storage without a device file: then there is an address. */
  readonly link: string | null;
  /** For hypervisors that open the storage themselves. */
  readonly uri: string | null;
}

interface StopOptions {
  /** Ends the instance without asking its guest. */
  readonly force: boolean;
  /** The guest has got a shutdown request before. */
  readonly isRepeated: boolean;
  /** Limit (s) for programs that ask the guest. */
  readonly timeoutSeconds: number;
}

export type MigrationState = NodeCallValue<"instance_get_migration_status">;

/** Migration in the order of its calls; `target` is the secondary address of the target. */
interface Migration {
  /** On the source: data that the target needs. */
  info(instance: InstanceOnNode): Promise<Json>;
  /** On the target. Accepting an instance that waits for its source is fine. */
  accept(instance: InstanceOnNode, info: Json, target: string): Promise<void>;
  /** On the source: begins the transfer. */
  begin(instance: InstanceOnNode, target: string, isLive: boolean): Promise<void>;
  status(instance: InstanceOnNode): Promise<MigrationState>;
  endOnSource(instance: InstanceOnNode, isSuccess: boolean): Promise<void>;
  endOnTarget(instance: InstanceOnNode, info: Json, isSuccess: boolean): Promise<void>;
}

/** Devices that are attached and detached while an instance runs. */
export interface Hotplug {
  /** Rejects with the reason why this instance cannot. */
  check(instance: InstanceOnNode): Promise<void>;
  add(instance: InstanceOnNode, what: HotplugDevice): Promise<void>;
  remove(instance: InstanceOnNode, what: HotplugDevice): Promise<void>;
  /** A NIC is detached and attached; the guest sees the present size of a disk. */
  modify(instance: InstanceOnNode, what: HotplugDevice): Promise<void>;
}

/** Operations reject with `NodeFailure`; the calls add what was attempted. Names come from outside: files check them. */
export interface Hypervisor {
  /** Instances that run. */
  list(): Promise<readonly string[]>;
  /** Null for an instance that the hypervisor does not have. */
  info(name: string): Promise<RunningInstance | null>;
  /** Instances that run, and those that their users have stopped. */
  all(): Promise<Readonly<Record<string, RunningInstance>>>;

  start(instance: InstanceOnNode, disks: readonly AttachedDisk[], isPaused: boolean): Promise<void>;
  /** Returns once the guest has got the request to shut down; with `force`, once it has ended. */
  stop(instance: InstanceOnNode, options: StopOptions): Promise<void>;
  /** Removes what an instance that has ended leaves behind. */
  cleanUp(name: string): Promise<void>;
  reboot(instance: InstanceOnNode): Promise<void>;
  balloon(instance: InstanceOnNode, memoryMib: number): Promise<void>;

  readonly migration: Migration;
  /** Absent: devices cannot be changed while an instance runs. */
  readonly hotplug?: Hotplug;

  console(request: ConsoleRequest): Promise<Console>;
  /** Rejects with the fault of parameters on this node. */
  validate(hvparams: HvParams): Promise<void>;
  /** Fault of the hypervisor on this node; null if it works. */
  fault(hvparams: HvParams): Promise<string | null>;
  figures(hvparams: HvParams): Promise<HypervisorFigures>;
}

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

/** A disk that is open and ready for an instance. */
export interface AttachedDisk {
  readonly disk: InstanceOnNode["disks"][number];
  /** Symbolic link to the device; null for storage without a device file, which has a `uri`. */
  readonly link: string | null;
  /** Address for hypervisors that open the storage themselves. */
  readonly uri: string | null;
}

interface StopOptions {
  /** Ends the instance without asking its guest. */
  readonly force: boolean;
  /** The guest has received a shutdown request before. */
  readonly isRepeated: boolean;
  /** Time limit (s) for programs that request the shutdown. */
  readonly timeoutSeconds: number;
}

export type MigrationState = NodeCallValue<"instance_get_migration_status">;

/** Steps of a migration, in the order of the calls; `target` is the secondary address of the target node. */
interface Migration {
  /** On the source: data that the target needs. */
  info(instance: InstanceOnNode): Promise<Json>;
  /** On the target. May be repeated for an instance that waits for its source. */
  accept(instance: InstanceOnNode, info: Json, target: string): Promise<void>;
  /** On the source: begins the transfer. */
  begin(instance: InstanceOnNode, target: string, isLive: boolean): Promise<void>;
  status(instance: InstanceOnNode): Promise<MigrationState>;
  endOnSource(instance: InstanceOnNode, isSuccess: boolean): Promise<void>;
  endOnTarget(instance: InstanceOnNode, info: Json, isSuccess: boolean): Promise<void>;
}

/** Changes of devices while an instance runs. */
export interface Hotplug {
  /** Rejects with the reason if this instance does not support hotplug. */
  check(instance: InstanceOnNode): Promise<void>;
  add(instance: InstanceOnNode, what: HotplugDevice): Promise<void>;
  remove(instance: InstanceOnNode, what: HotplugDevice): Promise<void>;
  /** Detaches and attaches a NIC; makes the guest see the current size of a disk. */
  modify(instance: InstanceOnNode, what: HotplugDevice): Promise<void>;
}

/** Operations reject with `NodeFailure`, to which the calls add what was attempted. Names are validated where they become file names. */
export interface Hypervisor {
  /** Names of the running instances. */
  list(): Promise<readonly string[]>;
  /** Null for an instance that the hypervisor does not have. */
  info(name: string): Promise<RunningInstance | null>;
  /** Running instances, and those that their users have shut down. */
  all(): Promise<Readonly<Record<string, RunningInstance>>>;

  start(instance: InstanceOnNode, disks: readonly AttachedDisk[], isPaused: boolean): Promise<void>;
  /** Resolves when the guest has received the shutdown request; with `force`, when it has ended. */
  stop(instance: InstanceOnNode, options: StopOptions): Promise<void>;
  /** Removes files and other leftovers of an instance that has ended. */
  cleanUp(name: string): Promise<void>;
  reboot(instance: InstanceOnNode): Promise<void>;
  balloon(instance: InstanceOnNode, memoryMib: number): Promise<void>;

  readonly migration: Migration;
  /** Absent: devices cannot be changed while an instance runs. */
  readonly hotplug?: Hotplug;

  console(request: ConsoleRequest): Promise<Console>;
  /** Rejects with the fault if the parameters cannot be used on this node. */
  validate(hvparams: HvParams): Promise<void>;
  /** Fault of the hypervisor on this node; null if it works. */
  fault(hvparams: HvParams): Promise<string | null>;
  figures(hvparams: HvParams): Promise<HypervisorFigures>;
}

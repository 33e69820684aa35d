/** Instances on a node: which run, and their life. */
import { ReasonTrail } from "@ganeti-ts/protocol";
import * as z from "zod";
import { call, Done, list, object, Parameters, record } from "../call.js";
import { DiskOnNode } from "../objects/disk.js";
import { HypervisorOnNode, hypervisorsAsked } from "../objects/hypervisor.js";
import { InstanceOnNode, NicOnNode, StoredObject } from "../objects/instance.js";
import { Console, ConsoleRequest } from "./console.js";
import { migrationCalls } from "./migration-calls.js";

/** `shutdown`: stopped by its user and not yet cleaned up by the hypervisor. */
export const RuntimeState = z.enum(["running", "paused", "shutdown"]);
export type RuntimeState = z.infer<typeof RuntimeState>;

/** An instance that a hypervisor has. */
export const RunningInstance = object({
  /** Absent where the node does not say: Ganeti's nodes do not. */
  hypervisor: z.string().optional(),
  memoryMib: z.number(),
  vcpus: z.int(),
  state: RuntimeState,
  cpuSeconds: z.number(),
});
export type RunningInstance = z.infer<typeof RunningInstance>;

/** A device that is attached or detached while the instance runs, with its index among those of its type. */
export const HotplugDevice = z.discriminatedUnion("type", [
  object({
    type: z.literal("disk"),
    device: DiskOnNode,
    index: z.int(),
    /** Where an added disk is found, as `blockdev_assemble` answers; null if it is removed or modified. */
    extra: object({ link: z.string().nullable(), uri: z.string().nullable() }).nullable(),
  }),
  object({ type: z.literal("nic"), device: NicOnNode, index: z.int() }),
]);
export type HotplugDevice = z.infer<typeof HotplugDevice>;

const ofInstance = { instance: InstanceOnNode };
/** Appended to what the node remembers of why the instance is in its state. */
const reason = { reason: ReasonTrail.optional() };

const lookCalls = {
  instance_list: call("urgent", "looks", object(hypervisorsAsked), list(z.string())),
  all_instances_info: call("urgent", "looks", object(hypervisorsAsked), record(RunningInstance)),
  /** Null if it does not run. */
  instance_info: call(
    ...(["urgent", "looks"] as const),
    object({ name: z.string(), hypervisor: HypervisorOnNode }),
    RunningInstance.nullable(),
  ),
  /** By name of the instance. */
  instance_console_info: call(
    ...(["urgent", "looks"] as const),
    object({ instances: record(ConsoleRequest) }),
    record(Console),
  ),
  /** Fails with the fault. */
  hypervisor_validate_params: call("normal", "looks", HypervisorOnNode, Done),
  /** Fails where devices cannot be attached while the instance runs. */
  hotplug_supported: call("normal", "looks", object(ofInstance), Done),
};

const lifeCalls = {
  instance_start: call(
    ...(["normal", "same"] as const),
    object({ ...ofInstance, startupPaused: z.boolean(), ...reason }),
    Done,
  ),
  /** Waits until the instance stops by itself, at most for the timeout; then stops it. */
  instance_shutdown: call(
    ...(["normal", "same"] as const),
    object({ ...ofInstance, timeoutSeconds: z.number(), ...reason }),
    Done,
  ),
  /** Fails if the instance does not run. A full reboot is a shutdown and a start, not this. */
  instance_reboot: call(
    ...(["normal", "again"] as const),
    object({
      ...ofInstance,
      type: z.enum(["soft", "hard"]),
      shutdownTimeoutSeconds: z.number(),
      ...reason,
    }),
    Done,
  ),
  instance_balloon_memory: call(
    ...(["normal", "same"] as const),
    object({ ...ofInstance, memoryMib: z.int() }),
    Done,
  ),
  hotplug_device: call(
    ...(["normal", "again"] as const),
    object({ ...ofInstance, action: z.enum(["add", "remove", "modify"]), what: HotplugDevice }),
    Done,
  ),
};

const systemCalls = {
  /** Runs the create script of its OS. */
  instance_os_add: call(
    ...(["oneDay", "again"] as const),
    object({ ...ofInstance, reinstall: z.boolean(), debugLevel: z.int() }),
    Done,
  ),
  instance_run_rename: call(
    ...(["slow", "again"] as const),
    object({ ...ofInstance, oldName: z.string(), debugLevel: z.int() }),
    Done,
  ),
  /** Data that the node's metadata service provides to the instance. */
  instance_metadata_modify: call(
    ...(["urgent", "same"] as const),
    object({
      instance: StoredObject,
      osparams: object({ public: Parameters, private: Parameters, secret: Parameters }),
    }),
    Done,
  ),
};

export const instanceCalls = { ...lookCalls, ...lifeCalls, ...migrationCalls, ...systemCalls };

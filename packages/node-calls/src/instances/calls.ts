/** Instances on a node: which run, and their life. */
import { ReasonTrail } from "@ganeti-ts/protocol";
import * as z from "zod";
import { call, callOf, Done, list, object, Parameters, record } from "../call.js";
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
  instance_list: call("urgent", "looks", list(z.string()), hypervisorsAsked),
  all_instances_info: call("urgent", "looks", record(RunningInstance), hypervisorsAsked),
  /** Null if it does not run. */
  instance_info: call("urgent", "looks", RunningInstance.nullable(), {
    name: z.string(),
    hypervisor: HypervisorOnNode,
  }),
  /** By name of the instance. */
  instance_console_info: call("urgent", "looks", record(Console), {
    instances: record(ConsoleRequest),
  }),
  /** Fails with the fault. */
  hypervisor_validate_params: callOf("normal", "looks", Done, HypervisorOnNode),
  /** Fails where devices cannot be attached while the instance runs. */
  hotplug_supported: call("normal", "looks", Done, ofInstance),
};

const lifeCalls = {
  instance_start: call("normal", "same", Done, {
    ...ofInstance,
    startupPaused: z.boolean(),
    ...reason,
  }),
  /** Waits until the instance stops by itself, at most for the timeout; then stops it. */
  instance_shutdown: call("normal", "same", Done, {
    ...ofInstance,
    timeoutSeconds: z.number(),
    ...reason,
  }),
  /** Fails if the instance does not run. A full reboot is a shutdown and a start, not this. */
  instance_reboot: call("normal", "again", Done, {
    ...ofInstance,
    type: z.enum(["soft", "hard"]),
    shutdownTimeoutSeconds: z.number(),
    ...reason,
  }),
  instance_balloon_memory: call("normal", "same", Done, { ...ofInstance, memoryMib: z.int() }),
  hotplug_device: call("normal", "again", Done, {
    ...ofInstance,
    action: z.enum(["add", "remove", "modify"]),
    what: HotplugDevice,
  }),
};

const systemCalls = {
  /** Runs the create script of its OS. */
  instance_os_add: call("oneDay", "again", Done, {
    ...ofInstance,
    reinstall: z.boolean(),
    debugLevel: z.int(),
  }),
  instance_run_rename: call("slow", "again", Done, {
    ...ofInstance,
    oldName: z.string(),
    debugLevel: z.int(),
  }),
  /** Data that the node's metadata service provides to the instance. */
  instance_metadata_modify: call("urgent", "same", Done, {
    instance: StoredObject,
    osparams: object({ public: Parameters, private: Parameters, secret: Parameters }),
  }),
};

export const instanceCalls = { ...lookCalls, ...lifeCalls, ...migrationCalls, ...systemCalls };

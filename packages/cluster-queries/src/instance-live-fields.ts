/** Query fields of an instance that need live data: whether and where it runs, and its resources. */
import { filledHvparams, type Snapshot } from "@ganeti-ts/config";
import type { NodeAnswer, RunningInstance } from "@ganeti-ts/node-calls";
import type { InstanceObject } from "@ganeti-ts/protocol";
import { normal, type ResultEntry } from "@ganeti-ts/query";
import { type Field, noData, offline, orAbsent, unavailable } from "./field.js";
import type { LiveData, Sighting } from "./live-data.js";

type Seen = NodeAnswer<Sighting>;

/** Status of an instance as a whole. */
export type InstanceStatusText =
  | "running"
  | "ADMIN_down"
  | "ADMIN_offline"
  | "USER_down"
  | "ERROR_up"
  | "ERROR_down"
  | "ERROR_wrongnode"
  | "ERROR_nodedown"
  | "ERROR_nodeoffline";

/** Compares the intended state with the reported one. A forthcoming instance is expected to run nowhere. */
export function instanceStatus(
  instance: InstanceObject,
  now: Snapshot,
  seen: Seen,
): InstanceStatusText {
  if (instance.forthcoming) {
    return instance.admin_state === "offline" ? "ADMIN_offline" : "ADMIN_down";
  }
  if (now.node(instance.primary_node)?.offline) return "ERROR_nodeoffline";
  if (!seen.ok) return "ERROR_nodedown";
  if (seen.value === undefined) return stoppedStatus(instance, now);
  if (!seen.value.onPrimary) return "ERROR_wrongnode";
  return foundStatus(instance, now, seen.value.found);
}

function foundStatus(
  instance: InstanceObject,
  now: Snapshot,
  { state }: RunningInstance,
): InstanceStatusText {
  const wanted = instance.admin_state === "up";
  if (state !== "shutdown") return wanted ? "running" : "ERROR_up";
  if (!wanted) return "ADMIN_down";
  return usersMayShutDown(instance, now) ? "USER_down" : "ERROR_down";
}

function stoppedStatus(instance: InstanceObject, now: Snapshot): InstanceStatusText {
  switch (instance.admin_state) {
    case "up":
      return "ERROR_down";
    case "offline":
      return "ADMIN_offline";
    default:
      return instance.admin_state_source === "user" && now.cluster.enabled_user_shutdown
        ? "USER_down"
        : "ADMIN_down";
  }
}

/** Whether a guest may shut itself down without being reported as an error. */
function usersMayShutDown(instance: InstanceObject, now: Snapshot): boolean {
  if (!now.cluster.enabled_user_shutdown) return false;
  return instance.hypervisor !== "kvm" || filledHvparams(now, instance).user_shutdown === true;
}

/** A figure of the running instance. */
function figure(seen: Seen, read: (found: RunningInstance) => number): ResultEntry {
  if (!seen.ok) return seen.offline ? offline : noData;
  return seen.value === undefined ? unavailable : normal(read(seen.value.found));
}

/**
 * Whether two answers about an instance give the same values of its live fields, `console` apart, as long as
 * the configuration is the same.
 */
export function showsAlike(one: Seen, other: Seen): boolean {
  if (!one.ok || !other.ok) return !one.ok && !other.ok && one.offline === other.offline;
  const [a, b] = [one.value, other.value];
  if (a === undefined || b === undefined) return a === b;
  return (
    a.onPrimary === b.onPrimary &&
    a.found.state === b.found.state &&
    a.found.memoryMib === b.found.memoryMib &&
    a.found.vcpus === b.found.vcpus
  );
}

const seenBy = (instance: InstanceObject, live: LiveData | undefined): Seen =>
  instance.forthcoming || live === undefined
    ? { ok: true, value: undefined }
    : live.instance(instance);

export const liveInstanceFields: readonly Field<InstanceObject>[] = [
  {
    definition: {
      name: "status",
      title: "Status",
      kind: "text",
      doc: `Instance status; "running" if instance is set to be running and actually is, "ADMIN_down" if instance is stopped and is not running, "ERROR_wrongnode" if instance running, but not on its designated primary node, "ERROR_up" if instance should be stopped, but is actually running, "ERROR_down" if instance should run, but doesn't, "ERROR_nodedown" if instance's primary node is down, "ERROR_nodeoffline" if instance's primary node is marked offline, "ADMIN_offline" if instance is offline and does not use dynamic resources`,
    },
    needs: "instances",
    entry: (instance, { now, live }) =>
      normal(instanceStatus(instance, now, seenBy(instance, live))),
  },
  {
    definition: {
      name: "oper_state",
      title: "Running",
      kind: "bool",
      doc: "Actual state of instance",
    },
    needs: "instances",
    entry: (instance, { live }) => {
      const seen = seenBy(instance, live);
      return seen.ok ? normal(seen.value !== undefined) : noData;
    },
  },
  {
    definition: {
      name: "oper_ram",
      title: "Memory",
      kind: "unit",
      doc: "Actual memory usage as seen by hypervisor",
    },
    needs: "instances",
    entry: (instance, { live }) => figure(seenBy(instance, live), ({ memoryMib }) => memoryMib),
  },
  {
    definition: {
      name: "oper_vcpus",
      title: "VCPUs",
      kind: "number",
      doc: "Actual number of VCPUs as seen by hypervisor",
    },
    needs: "instances",
    entry: (instance, { live }) => figure(seenBy(instance, live), ({ vcpus }) => vcpus),
  },
  {
    definition: {
      name: "console",
      title: "Console",
      kind: "other",
      doc: "Instance console information",
    },
    needs: "console",
    entry: (instance, { live }) => {
      const seen = seenBy(instance, live);
      if (!seen.ok) return seen.offline ? offline : noData;
      return orAbsent(live?.console(instance.uuid), "noData");
    },
  },
];

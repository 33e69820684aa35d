/** Calls about instances. */
import type {
  HotplugDevice,
  HypervisorOnNode,
  InstanceCalls,
  InstanceOnNode,
  MigrationStatus,
  NodeCallArguments,
  RunningInstance,
} from "@ganeti-ts/node-calls";
import type { Json, JsonObject } from "@ganeti-ts/protocol";
import { bytesPerMib } from "@ganeti-ts/protocol";
import type { CallWire, CallWires } from "./call-wire.js";
import { hypervisor } from "./figures.js";
import {
  asList,
  asObject,
  type Format,
  keyed,
  plain,
  positional,
  recordOf,
  WireError,
  withDefault,
  words,
} from "./format.js";
import { disk, instance, nic } from "./objects.js";

type Asked = NodeCallArguments<"instance_list">;

/** Names of the queried hypervisors, and the parameters of all hypervisors of the cluster. */
const hypervisorsAsked: Format<Asked> = {
  encode: ({ hypervisors, others = [] }) => [
    hypervisors.map(({ name }) => name),
    Object.fromEntries([...hypervisors, ...others].map(({ name, hvparams }) => [name, hvparams])),
  ],
  decode(json) {
    const [names, all] = asList(json);
    const parameters = asObject(all ?? null);
    const wanted = asList(names ?? null) as string[];
    const one = (name: string): HypervisorOnNode => ({
      name,
      hvparams: asObject(parameters[name] ?? {}),
    });
    const others = Object.keys(parameters).filter((name) => !wanted.includes(name));
    return { hypervisors: wanted.map(one), ...(others.length > 0 && { others: others.map(one) }) };
  },
};

const runningInstance = keyed<Omit<RunningInstance, "hypervisor">>({
  memoryMib: "memory",
  vcpus: "vcpus",
  // The wire has no value for paused instances, so they are reported as running.
  state: ["state", words({ running: 0, paused: 0, shutdown: 1 })],
  cpuSeconds: "time",
}) as Format<RunningInstance>;

/** An empty dictionary for an instance that does not run. */
const runningOrNot: Format<RunningInstance | null> = {
  encode: (value, context) => (value === null ? {} : runningInstance.encode(value, context)),
  decode: (json, context) =>
    Object.keys(asObject(json)).length === 0 ? null : runningInstance.decode(json, context),
};

const consoleRequests: Format<NodeCallArguments<"instance_console_info">> = {
  encode: ({ instances }, context) => requestsByName.encode(instances, context),
  decode: (json, context) => ({ instances: requestsByName.decode(json, context) }),
};
const requestsByName = recordOf(
  keyed<NodeCallArguments<"instance_console_info">["instances"][string]>({
    instance: "instance",
    node: "node",
    group: "group",
    hvparams: "hvParams",
    beparams: "beParams",
  }),
);

const reason = withDefault<NonNullable<NodeCallArguments<"instance_start">["reason"]>>(plain, []);

const hotplugActions = words({ add: "hotadd", remove: "hotremove", modify: "hotmod" });

/** Type, device, extra and index are separate arguments. */
const hotplug: Format<NodeCallArguments<"hotplug_device">> = {
  encode: ({ instance: on, action, what }, context) => [
    instance.encode(on, context),
    hotplugActions.encode(action, context),
    what.type,
    what.type === "disk" ? disk.encode(what.device, context) : nic.encode(what.device, context),
    what.type === "disk" && what.extra ? [what.extra.link, what.extra.uri] : null,
    what.index,
  ],
  decode(json, context) {
    const [on = null, action = null, type, device = null, extra = null, index] = asList(json);
    if (type !== "disk" && type !== "nic") throw new WireError(`no hotplug of ${String(type)}`);
    const [link = null, uri = null] = extra === null ? [] : asList(extra);
    const what = {
      type,
      device: (type === "disk" ? disk : nic).decode(device, context),
      ...(type === "disk" && { extra: extra === null ? null : { link, uri } }),
      index,
    } as unknown as HotplugDevice;
    const decoded = instance.decode(on, context);
    return { instance: decoded, action: hotplugActions.decode(action, context), what };
  },
};

/** The instance as stored, but with the three kinds of OS parameters from the call. */
const metadata: Format<NodeCallArguments<"instance_metadata_modify">> = {
  encode: ({ instance: stored, osparams }) => [
    {
      ...stored,
      osparams: osparams.public,
      osparams_private: osparams.private,
      osparams_secret: osparams.secret,
    },
  ],
  decode(json) {
    const {
      osparams: open = {},
      osparams_private: own = {},
      osparams_secret: secret = {},
      ...stored
    } = asObject(asList(json)[0] ?? null);
    const osparams = { public: open, private: own, secret } as { [kind: string]: JsonObject };
    return {
      instance: stored,
      osparams,
    } as unknown as NodeCallArguments<"instance_metadata_modify">;
  },
};

const status = words<MigrationStatus | "postcopy">({
  active: "active",
  completed: "completed",
  failed: "failed",
  cancelled: "cancelled",
  postcopy: "postcopy-active",
});

/** Memory in bytes, omitted if the hypervisor does not report it. */
const migrationStatus: CallWire<"instance_get_migration_status">["value"] = {
  encode: ({ status: word, transferredMib, totalMib, postcopyStatus }, context) => ({
    status: status.encode(word, context),
    ...(transferredMib !== null && { transferred_ram: transferredMib * bytesPerMib }),
    ...(totalMib !== null && { total_ram: totalMib * bytesPerMib }),
    ...(postcopyStatus && { postcopy_status: postcopyStatus }),
  }),
  decode(json, context) {
    const { status: word = null, transferred_ram, total_ram, postcopy_status } = asObject(json);
    const known = status.decode(word, context);
    const mib = (bytes: Json | undefined) =>
      typeof bytes === "number" ? bytes / bytesPerMib : null;
    return {
      status: known === "postcopy" ? "active" : known,
      transferredMib: mib(transferred_ram),
      totalMib: mib(total_ram),
      ...(typeof postcopy_status === "string" && { postcopyStatus: postcopy_status }),
    };
  },
};

const on = ["instance", instance] as const;
const because = ["reason", reason] as const;
const ofInstance = positional<{ instance: InstanceOnNode }>(on);

export const instanceWires: CallWires<keyof InstanceCalls> = {
  instance_list: hypervisorsAsked,
  all_instances_info: { arguments: hypervisorsAsked, value: recordOf(runningInstance) },
  instance_info: {
    arguments: {
      encode: ({ name, hypervisor: { name: type, hvparams } }) => [name, type, hvparams],
      decode(json, context) {
        const [name, ...rest] = asList(json);
        return { name: name as string, hypervisor: hypervisor.decode(rest, context) };
      },
    },
    value: runningOrNot,
  },
  instance_console_info: consoleRequests,
  hypervisor_validate_params: hypervisor,
  hotplug_supported: ofInstance,
  instance_start: positional(on, "startupPaused", because),
  instance_shutdown: positional(on, "timeoutSeconds", because),
  instance_reboot: positional(on, "type", "shutdownTimeoutSeconds", because),
  instance_balloon_memory: positional(on, "memoryMib"),
  hotplug_device: hotplug,
  instance_migratable: ofInstance,
  migration_info: ofInstance,
  accept_instance: positional(on, "info", "target"),
  instance_migrate: positional("clusterName", on, "target", "live"),
  instance_get_migration_status: { arguments: ofInstance, value: migrationStatus },
  instance_finalize_migration_src: positional(on, "success", "live"),
  instance_finalize_migration_dst: positional(on, "info", "success"),
  instance_os_add: positional(on, "reinstall", "debugLevel"),
  instance_run_rename: positional(on, "oldName", "debugLevel"),
  instance_metadata_modify: metadata,
};

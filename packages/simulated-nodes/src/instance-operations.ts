/** Calls about instances. */
import type {
  HypervisorOnNode,
  InstanceCalls,
  InstanceOnNode,
  RunningInstance,
} from "@ganeti-ts/node-calls";
import { consoleOf } from "./console.js";
import { deviceOn } from "./devices-in-use.js";
import { kindOf } from "./disk-operations.js";
import { setEntry } from "./entries.js";
import { memoryFree } from "./figures.js";
import { hotplugOperations, nicFault } from "./hotplug-operations.js";
import type { HostState, InstanceState } from "./node-state.js";
import { osOf } from "./os-operations.js";
import { type CallsOnHost, copyMs, NodeFault, type Site } from "./site.js";

export const instanceOperations: CallsOnHost<keyof InstanceCalls> = {
  instance_list: ({ host }, { hypervisors }) => runningOn(host, hypervisors),
  all_instances_info(site, { hypervisors }) {
    // Without a prototype V8 makes no hidden class for each node's set of names: lists call all nodes.
    const infos: { [name: string]: RunningInstance } = Object.create(null);
    const { instances } = site.host;
    for (const name in instances) {
      const instance = instances[name] as InstanceState;
      if (isOf(instance, hypervisors)) infos[name] = described(site, instance);
    }
    return infos;
  },
  instance_info(site, { name, hypervisor }) {
    const instance = site.host.instances[name];
    return instance?.hypervisor === hypervisor.name ? described(site, instance) : null;
  },
  instance_start: {
    durationMs: ({ durations, host }, { instance }) =>
      instance.name in host.instances ? 0 : durations.instanceStartMs,
    act(site, { instance, startupPaused }) {
      const running = site.host.instances[instance.name];
      if (running !== undefined && running.state !== "shutdown") return;
      setEntry(site.host.instances, instance.name, undefined);
      checkDisks(site, instance);
      checkNics(site.host, instance);
      setEntry(site.host.instances, instance.name, {
        hypervisor: instance.hypervisor,
        memoryMib: startupMemory(site.host, instance),
        vcpus: Number(instance.beparams.vcpus),
        state: startupPaused ? "paused" : "running",
        startedMicros: site.nowMicros,
        devices: instance.disks.map((disk) => deviceOn(site.uuid, disk)),
        ...endOf(site, instance),
      });
    },
  },
  instance_shutdown: {
    durationMs: ({ durations, host }, { instance, timeoutSeconds }) =>
      instance.name in host.instances
        ? Math.min(durations.instanceStopMs, timeoutSeconds * 1000)
        : 0,
    act({ host }, { instance }) {
      setEntry(host.instances, instance.name, undefined);
    },
  },
  instance_reboot: {
    durationMs: ({ durations }) => durations.instanceStartMs,
    act({ host, nowMicros }, { instance }) {
      const running = host.instances[instance.name];
      if (running === undefined) {
        throw new NodeFault(`Cannot reboot instance '${instance.name}' that is not running`);
      }
      setEntry(host.instances, instance.name, undefined);
      setEntry(host.instances, instance.name, {
        ...running,
        // QEMU begins again.
        ...(running.hypervisor === "kvm" ? { memoryMib: startupMemory(host, instance) } : {}),
        state: "running",
        startedMicros: nowMicros,
      });
    },
  },
  instance_balloon_memory({ host }, { instance, memoryMib }) {
    const running = host.instances[instance.name];
    if (running === undefined) return;
    if (memoryMib - running.memoryMib > memoryFree(host)) {
      throw new NodeFault(
        `Failed to balloon instance memory: ${memoryMib} MiB for ${instance.name} are not free`,
      );
    }
    setEntry(host.instances, instance.name, { ...running, memoryMib });
  },
  instance_console_info: (_, { instances }) =>
    Object.fromEntries(
      Object.entries(instances).map(([name, request]) => [name, consoleOf(request)]),
    ),
  instance_metadata_modify: () => null,
  instance_migratable({ host }, { instance }) {
    if (!(instance.name in host.instances)) {
      throw new NodeFault(`Instance ${instance.name} is not running`);
    }
  },

  // (Ganeti's fake hypervisor has no migration data; neither have these nodes.)
  migration_info: ({ host }, { instance }) => ({
    memory: host.instances[instance.name]?.memoryMib ?? 0,
  }),
  accept_instance({ host }, { instance }) {
    if (instance.name in host.instances) {
      throw new NodeFault("Failed to accept instance: Can't accept instance, already running");
    }
  },
  instance_migrate(site, { instance, target }) {
    const running = site.host.instances[instance.name];
    if (running === undefined) {
      throw new NodeFault(`Failed to migrate instance: ${instance.name} is not running`);
    }
    const targetHost = site.hostAt(target);
    if (targetHost === undefined || !targetHost.powered) {
      throw new NodeFault(`Failed to migrate instance: cannot connect to ${target}`);
    }
    if (memoryFree(targetHost) < running.memoryMib && instance.hypervisor !== "fake") {
      throw new NodeFault(
        `Failed to migrate instance: ${target} has ${memoryFree(targetHost)} MiB free, ${running.memoryMib} MiB needed`,
      );
    }
    site.host.migrations[instance.name] ??= {
      target,
      startedMicros: site.nowMicros,
      memoryMib: running.memoryMib,
    };
  },
  instance_get_migration_status(site, { instance }) {
    const migration = site.host.migrations[instance.name];
    if (migration === undefined) return { status: "failed", transferredMib: 0, totalMib: 0 };
    const { startedMicros, memoryMib, target } = migration;
    const elapsedMs = (site.nowMicros - startedMicros) / 1000;
    const neededMs = copyMs(memoryMib, site.durations.migrationSpeed);
    const share = neededMs === 0 ? 1 : Math.min(1, elapsedMs / neededMs);
    const alive = site.hostAt(target)?.powered === true;
    const transferredMib = Math.floor(memoryMib * share);
    const status = share === 1 ? "completed" : alive ? "active" : "failed";
    return { status, transferredMib, totalMib: memoryMib };
  },
  instance_finalize_migration_src({ host }, { instance, success }) {
    delete host.migrations[instance.name];
    if (success) setEntry(host.instances, instance.name, undefined);
  },
  instance_finalize_migration_dst(site, { instance, info, success }) {
    if (!success) {
      setEntry(site.host.instances, instance.name, undefined);
      return;
    }
    const { host, nowMicros } = site;
    const moved = (info as { memory?: number } | null)?.memory;
    if (host.instances[instance.name] !== undefined) return;
    setEntry(host.instances, instance.name, {
      hypervisor: instance.hypervisor,
      memoryMib: moved || startupMemory(host, instance),
      vcpus: Number(instance.beparams.vcpus),
      state: "running",
      startedMicros: nowMicros,
      devices: instance.disks.map((disk) => deviceOn(site.uuid, disk)),
    });
  },

  instance_os_add: {
    durationMs: ({ durations }) => durations.osScriptMs,
    act(site, { instance }) {
      checkDisks(site, instance);
      const { name, trusted } = osOf(site.host, instance.os ?? "");
      if (!trusted) throw new NodeFault(`OS ${name} has no create script that may run on a node`);
      const [first] = instance.disks;
      if (first !== undefined && kindOf(first).image(site, first) === undefined) {
        kindOf(first).write(site, first, systemOf(instance.uuid));
      }
    },
  },
  instance_run_rename: {
    durationMs: ({ durations }) => durations.osScriptMs,
    act(site, { instance }) {
      osOf(site.host, instance.os ?? "");
    },
  },
  ...hotplugOperations,
  hypervisor_validate_params: () => null,
};

/** Names of the running instances of these hypervisors. */
const runningOn = (
  { instances }: HostState,
  hypervisors: readonly HypervisorOnNode[],
): readonly string[] =>
  Object.keys(instances).filter((name) => isOf(instances[name] as InstanceState, hypervisors));

const isOf = ({ hypervisor }: InstanceState, hypervisors: readonly HypervisorOnNode[]): boolean => {
  for (const { name } of hypervisors) if (name === hypervisor) return true;
  return false;
};

const described = ({ nowMicros }: Site, instance: InstanceState): RunningInstance => ({
  hypervisor: instance.hypervisor,
  memoryMib: instance.memoryMib,
  vcpus: instance.vcpus,
  state: (instance.stopsMicros ?? Infinity) <= nowMicros ? "shutdown" : instance.state,
  // Ganeti's fake hypervisor does not measure it either.
  cpuSeconds:
    instance.hypervisor === "fake"
      ? 0
      : Math.floor((nowMicros - instance.startedMicros) / 1e6) * instance.vcpus,
});

/**
 * Memory between the minimum and the maximum, as far as it is free; the fake hypervisor starts an
 * instance even below its minimum.
 */
function startupMemory(host: HostState, { name, hypervisor, beparams }: InstanceOnNode): number {
  const [least, most] = [Number(beparams.minmem), Number(beparams.maxmem)];
  const free = memoryFree(host);
  if (free < least && hypervisor !== "fake") {
    throw new NodeFault(
      `Hypervisor error: Failed to start instance ${name}: not enough memory: ${least} MiB needed, ${free} MiB free`,
    );
  }
  return Math.max(least, Math.min(most, free));
}

/** Content of the first disk of an instance after scripts have installed its system on an empty disk. */
export const systemOf = (uuid: string): string => `system of ${uuid}`;

/** An image on the first disk may define when the machine stops by itself. */
function endOf(site: Site, { disks }: InstanceOnNode) {
  const [first] = disks;
  const image = first && kindOf(first).image(site, first);
  const [, seconds] = /^runs for (\d+) s/.exec(image ?? "") ?? [];
  return seconds === undefined ? {} : { stopsMicros: site.nowMicros + Number(seconds) * 1e6 };
}

function checkDisks(site: Site, { disks }: InstanceOnNode): void {
  for (const disk of disks) {
    if (kindOf(disk).status(site, disk) === undefined) {
      throw new NodeFault(`Block device '${kindOf(disk).path(site, disk)}' is not set up.`);
    }
  }
}

function checkNics(host: HostState, instance: InstanceOnNode): void {
  if (instance.hypervisor === "fake") return;
  for (const nic of instance.nics) {
    const fault = nicFault(host, nic);
    if (fault === undefined) continue;
    throw new NodeFault(`Hypervisor error: Failed to start instance ${instance.name}: ${fault}`);
  }
}

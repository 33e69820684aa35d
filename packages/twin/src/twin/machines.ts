/** machinesOf: simulated machines that hold and run what a configuration says, with reported figures. */
import { filledNdparams, filledNicparams, realDisksOf, type Snapshot } from "@ganeti-ts/config";
import type { InstanceObject, NodeUuid, RealInstance } from "@ganeti-ts/protocol";
import {
  deviceOn,
  type HostState,
  newHost,
  noopOs,
  type SharedState,
  setEntry,
  simulatedSystems,
} from "@ganeti-ts/simulated-nodes";
import { type DiskPlaces, placeDisk } from "./disk-places.js";
import { giveFigures } from "./machine-figures.js";
import type { TwinOrigin } from "./origin.js";
import { runningInstances } from "./running-instances.js";

/** States of the simulated machines, and of the storage that they share. */
export interface Machines {
  readonly hosts: readonly HostState[];
  readonly shared: SharedState;
}

/** O(nodes + instances and their disks). */
export function machinesOf(
  now: Snapshot,
  { figures, systems }: Pick<TwinOrigin, "figures" | "systems">,
): Machines {
  const instances = [...now.instances()].filter(isReal);
  const shape = {
    bridges: bridgesOf(now, instances),
    operatingSystems: systemsNamed([...systems, ...instances.map(({ os }) => os)]),
  };
  const hosts = new Map<NodeUuid, HostState>();
  for (const { uuid, name } of now.nodes()) {
    const certificateDigest = now.cluster.candidate_certs[uuid];
    const host = newHost({
      name,
      volumeGroups: {},
      ...shape,
      ...(certificateDigest !== undefined && { certificateDigest }),
    });
    hosts.set(uuid, host);
  }
  const places: DiskPlaces = { now, hosts, shared: { disks: {} } };
  const running = runningInstances(now, instances, figures?.instances);
  for (const instance of instances) {
    const runs = running.get(instance.uuid);
    const disks = realDisksOf(now, instance);
    for (const disk of disks) placeDisk(places, instance, disk, runs?.node);
    if (runs === undefined) continue;
    setEntry((hosts.get(runs.node) as HostState).instances, instance.name, {
      hypervisor: instance.hypervisor,
      memoryMib: runs.memoryMib,
      vcpus: runs.vcpus,
      state: "running",
      startedMicros: (instance.mtime ?? 0) * 1e6,
      devices: disks.map((disk) => deviceOn(runs.node, disk)),
    });
  }
  for (const node of now.nodes()) {
    const isExclusive = filledNdparams(now, node).exclusive_storage;
    const said = figures?.machines.get(node.name);
    giveFigures(hosts.get(node.uuid) as HostState, now.cluster, { said, isExclusive });
  }
  return { hosts: [...hosts.values()], shared: places.shared };
}

const isReal = (instance: InstanceObject): instance is RealInstance => !instance.forthcoming;

/** Links of all NICs, and of the networks of all groups. */
function bridgesOf(now: Snapshot, instances: readonly RealInstance[]): readonly string[] {
  const links = new Set(["xen-br0", now.cluster.nicparams.default.link]);
  for (const { networks } of now.groups()) {
    for (const { link } of Object.values(networks)) links.add(link);
  }
  for (const instance of instances) {
    for (const nic of instance.nics) links.add(filledNicparams(now, instance, nic).link);
  }
  return [...links].filter((link) => link !== "");
}

/** Each named operating system with all its variants, and those that simulated nodes usually have. */
function systemsNamed(names: readonly string[]) {
  const variants = new Map<string, Set<string>>();
  for (const { name, variants: usual } of simulatedSystems) variants.set(name, new Set(usual));
  for (const full of new Set(names)) {
    const [name = "", variant] = full.split("+", 2);
    if (name === "") continue;
    const known = variants.get(name) ?? new Set<string>();
    if (variant !== undefined) known.add(variant);
    variants.set(name, known);
  }
  return Array.from(variants, ([name, known]) => ({
    ...(simulatedSystems.find((one) => one.name === name) ?? noopOs),
    name,
    path: `/srv/ganeti/os/${name}`,
    variants: [...known],
  }));
}

/** Filled parameters: values that an object does not set come from the levels above it. */
import type {
  Beparams,
  ClusterPolicy,
  Diskparams,
  ForthcomingNic,
  GroupObject,
  InstanceObject,
  Ndparams,
  NicObject,
  Nicparams,
  NodeObject,
  Parameters,
} from "@ganeti-ts/protocol";
import { defaultDiskparams } from "./defaults.js";
import type { Snapshot } from "./snapshot.js";

/** Levels: cluster, instance. */
export const filledBeparams = (
  { cluster }: Snapshot,
  { beparams = {} }: Pick<InstanceObject, "beparams">,
): Beparams => overlaid(cluster.beparams.default, beparams);

/**
 * Levels: cluster, operating system, instance. An instance without a hypervisor uses the cluster's default
 * one.
 */
export function filledHvparams(
  { cluster }: Snapshot,
  instance: Pick<InstanceObject, "hypervisor" | "os" | "hvparams">,
): Parameters {
  const hypervisor = instance.hypervisor ?? cluster.enabled_hypervisors[0] ?? "";
  return {
    ...cluster.hvparams[hypervisor],
    ...cluster.os_hvp[instance.os ?? ""]?.[hypervisor],
    ...instance.hvparams,
  };
}

/** Parameters that only the cluster can set; they are not shown with instances. */
export const globalHvparams = [
  "migration_port",
  "migration_bandwidth",
  "migration_mode",
  "xen_cmd",
] as const;

/** Node parameters that only the cluster can set. */
export const globalNdparams = ["exclusive_storage"] as const;

/** Levels: cluster for the system, for its variant, instance; private parameters are separate. */
export function filledOsparams(
  { cluster }: Snapshot,
  instance: Pick<InstanceObject, "os" | "osparams" | "osparams_private">,
): { readonly public: Parameters; readonly private: Parameters } {
  const { os = "", osparams = {}, osparams_private = {} } = instance;
  const [system = ""] = os.split("+", 1);
  const below = (sets: Readonly<Record<string, Parameters>>) => ({ ...sets[system], ...sets[os] });
  return {
    public: { ...below(cluster.osparams), ...osparams },
    private: { ...below(cluster.osparams_private_cluster), ...osparams_private },
  };
}

/** Levels: cluster, connection of the primary node's group to the NIC's network, NIC. */
export function filledNicparams(
  now: Snapshot,
  instance: Pick<InstanceObject, "primary_node">,
  nic: Pick<NicObject | ForthcomingNic, "network" | "nicparams">,
): Nicparams {
  const node = instance.primary_node === undefined ? undefined : now.node(instance.primary_node);
  const group = node === undefined ? undefined : now.group(node.group);
  const connection = nic.network === undefined ? undefined : group?.networks[nic.network];
  return overlaid(now.cluster.nicparams.default, connection, nic.nicparams);
}

/** Levels: cluster, group. */
export const filledGroupNdparams = ({ cluster }: Snapshot, { ndparams }: GroupObject): Ndparams =>
  overlaid(cluster.ndparams, ndparams);

/** Levels: cluster, group, node. */
export const filledNdparams = (now: Snapshot, { group, ndparams }: NodeObject): Ndparams =>
  overlaid(now.cluster.ndparams, now.group(group)?.ndparams, ndparams);

/** One of the node's filled parameters, without the others. */
export function filledNdparam<Key extends keyof Ndparams>(
  now: Snapshot,
  { group, ndparams }: NodeObject,
  key: Key,
): Ndparams[Key] {
  const ofNode = ndparams[key] ?? now.group(group)?.ndparams[key] ?? now.cluster.ndparams[key];
  return ofNode as Ndparams[Key];
}

/** For every disk template. Levels: built-in, cluster, group. */
export function filledDiskparams({ cluster }: Snapshot, group?: GroupObject): Diskparams {
  return Object.fromEntries(
    Object.entries(defaultDiskparams).map(([template, builtIn]) => [
      template,
      { ...builtIn, ...cluster.diskparams[template], ...group?.diskparams[template] },
    ]),
  );
}

/** A group's policy; each value set by the group replaces the cluster's value completely. */
export const groupPolicy = ({ cluster }: Snapshot, { ipolicy }: GroupObject): ClusterPolicy =>
  overlaid(cluster.ipolicy, ipolicy);

type Level<P> = { readonly [K in keyof P]?: P[K] | undefined } | undefined;

/** A copy of `base`; for each key the last level that sets it counts. */
function overlaid<P extends object>(base: P, ...levels: readonly Level<P>[]): P {
  const filled = { ...base };
  for (const level of levels) {
    for (const key in level) {
      const value = level[key];
      if (value !== undefined) filled[key] = value;
    }
  }
  return filled;
}

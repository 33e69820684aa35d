/** Parameters as they hold: what an object does not say itself comes from the levels above it. */
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

/** cluster, instance */
export const filledBeparams = (
  { cluster }: Snapshot,
  { beparams = {} }: Pick<InstanceObject, "beparams">,
): Beparams => overlaid(cluster.beparams.default, beparams);

/**
 * cluster, operating system, instance. Without a hypervisor of its own an instance has the cluster's
 * default one.
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

/** Parameters that only the cluster sets: not shown with an instance, and not to be set there. */
export const globalHvparams = ["migration_port", "migration_bandwidth", "migration_mode"] as const;

/** The same for nodes. */
export const globalNdparams = ["exclusive_storage"] as const;

/** cluster for the system, for its variant, instance; private ones apart. */
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

/** cluster, connection of the primary node's group to the NIC's network, NIC */
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

/** cluster, group */
export const filledGroupNdparams = ({ cluster }: Snapshot, { ndparams }: GroupObject): Ndparams =>
  overlaid(cluster.ndparams, ndparams);

/** cluster, group, node */
export const filledNdparams = (now: Snapshot, { group, ndparams }: NodeObject): Ndparams =>
  overlaid(now.cluster.ndparams, now.group(group)?.ndparams, ndparams);

/** Of every disk template. Built-in, cluster, group */
export function filledDiskparams({ cluster }: Snapshot, group?: GroupObject): Diskparams {
  return Object.fromEntries(
    Object.entries(defaultDiskparams).map(([template, builtIn]) => [
      template,
      { ...builtIn, ...cluster.diskparams[template], ...group?.diskparams[template] },
    ]),
  );
}

/** A group's policy; what it says replaces what the cluster says as a whole. */
export const groupPolicy = ({ cluster }: Snapshot, { ipolicy }: GroupObject): ClusterPolicy =>
  overlaid(cluster.ipolicy, ipolicy);

type Level<P> = { readonly [K in keyof P]?: P[K] | undefined } | undefined;

/** A copy of `base`; of each key the last level that says something counts. */
function overlaid<P extends object>(base: P, ...levels: readonly Level<P>[]): P {
  const filled = { ...base };
  for (const level of levels) {
    for (const [key, value] of Object.entries(level ?? {})) {
      if (value !== undefined) Object.assign(filled, { [key]: value });
    }
  }
  return filled;
}

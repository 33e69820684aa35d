/** ssconf: values about the cluster that every node stores, one file each. */
import { inNaturalOrder, type NodeObject } from "@ganeti-ts/protocol";
import type { ConfigurationStep } from "./configuration.js";
import { filledNdparams } from "./filling.js";
import type { Snapshot } from "./snapshot.js";
import { formatUidPool } from "./uid-pool.js";
import { softwareVersion } from "./version.js";

/** Contents by key, for the file `ssconf_<key>`; non-empty contents end with a line break. */
export function ssconfValues(now: Snapshot): { readonly [key: string]: string } {
  const { cluster } = now;
  const nodes = inNaturalOrder(now.nodes(), ({ name }) => name);
  const names = (those: (node: NodeObject) => boolean) =>
    nodes.filter(those).map(({ name }) => name);
  const named = (objects: Iterable<{ readonly uuid: string; readonly name: string }>) =>
    Array.from(objects, ({ uuid, name }) => `${uuid} ${name}`);
  const groups = inNaturalOrder(now.groups(), ({ name }) => name);
  const master = now.node(cluster.master_node);
  // Ganeti sorts candidates and networks by UUID, as snapshots do, and the rest by name.
  const candidates = [...now.nodes()].filter((node) => node.master_candidate);
  const values: Record<string, readonly string[]> = {
    cluster_name: [cluster.cluster_name],
    cluster_tags: cluster.tags,
    release_version: [softwareVersion],
    file_storage_dir: [cluster.file_storage_dir],
    shared_file_storage_dir: [cluster.shared_file_storage_dir],
    gluster_storage_dir: [cluster.gluster_storage_dir],
    master_node: [master?.name ?? ""],
    master_ip: [cluster.master_ip],
    master_netdev: [cluster.master_netdev],
    master_netmask: [String(cluster.master_netmask)],
    primary_ip_family: [String(cluster.primary_ip_family)],
    master_candidates: candidates.map(({ name }) => name),
    master_candidates_ips: candidates.map(({ primary_ip }) => primary_ip),
    master_candidates_certs: Object.entries(cluster.candidate_certs)
      .map(([uuid, digest]) => `${uuid}=${digest}`)
      .sort(),
    node_list: names(() => true),
    online_nodes: names(({ offline }) => !offline),
    offline_nodes: names(({ offline }) => offline),
    node_primary_ips: nodes.map(({ name, primary_ip }) => `${name} ${primary_ip}`),
    node_secondary_ips: nodes.map(({ name, secondary_ip }) => `${name} ${secondary_ip}`),
    node_vm_capable: nodes.map(({ name, vm_capable }) => `${name}=${truth(vm_capable)}`),
    instance_list: inNaturalOrder(
      Array.from(now.instances()).flatMap(({ name }) => name ?? []),
      (name) => name,
    ),
    nodegroups: named(groups),
    networks: named(now.networks()),
    hypervisor_list: cluster.enabled_hypervisors,
    maintain_node_health: [truth(cluster.maintain_node_health)],
    enabled_user_shutdown: [truth(cluster.enabled_user_shutdown)],
    uid_pool: [formatUidPool(cluster.uid_pool, "\n")],
    ssh_ports: nodes.map((node) => `${node.name}=${filledNdparams(now, node).ssh_port}`),
  };
  for (const [name, parameters] of Object.entries(cluster.hvparams)) {
    values[`hvparams_${name}`] = Object.entries(parameters).map(
      ([key, value]) => `${key}=${typeof value === "boolean" ? truth(value) : value}`,
    );
  }
  return Object.fromEntries(
    Object.entries(values).map(([key, lines]) => {
      const text = lines.join("\n");
      return [key, text === "" ? "" : `${text}\n`];
    }),
  );
}

const truth = (value: boolean): string => (value ? "True" : "False");

/** Whether a step may change one of the values: one that only changes what instances are like does not. */
export const mayChangeSsconf = ({ before, after, changes }: ConfigurationStep): boolean =>
  changes.some((change) => {
    if (change.kind === "cluster") return true;
    if (change.type !== "instance") return change.type !== "disk" && change.type !== "claim";
    const uuid = change.kind === "put" ? change.object.uuid : change.uuid;
    const nameIn = (now: Snapshot) => now.get("instance", uuid)?.name;
    return nameIn(before) !== nameIn(after);
  });

/** Lines of the text of an ssconf file, without its final line break, as Ganeti's master sends them to nodes. */
export const ssconfLines = (text: string): readonly string[] =>
  text === "" ? [] : text.replace(/\n$/, "").split("\n");

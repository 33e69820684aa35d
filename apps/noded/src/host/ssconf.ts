/** ssconf files: single configuration values that every node holds. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ifFailed, ifMissing, NodeFailure } from "../failure.js";

/** Returns a function that reads `ssconf_KEY` in `directory` at each call. */
export const ssconfReader =
  (directory: string) =>
  async (key: string): Promise<readonly string[]> => {
    const path = join(directory, `ssconf_${key}`);
    const text = await readFile(path, "utf8").catch(ifMissing(null));
    if (text === null) throw new NodeFailure(`Can't read ssconf file ${path}: no such file`);
    return text.split("\n").filter((line) => line !== "");
  };

/** Default address to listen on: `::`, which covers IPv4 as well, in an IPv6 cluster, else `0.0.0.0`. */
export const usualAddress = async (directory: string): Promise<string> => {
  const family = await ssconfReader(directory)("primary_ip_family").catch(ifFailed([]));
  return family[0] === "10" ? "::" : "0.0.0.0";
};

/** Keys that a node accepts from the master. */
export const ssconfKeys: ReadonlySet<string> = new Set([
  ...["cluster_name", "cluster_tags", "enabled_user_shutdown", "file_storage_dir"],
  ...["gluster_storage_dir", "hypervisor_list", "instance_list", "maintain_node_health"],
  ...["master_candidates", "master_candidates_certs", "master_candidates_ips", "master_ip"],
  ...["master_netdev", "master_netmask", "master_node", "networks", "node_list"],
  ...["node_primary_ips", "node_secondary_ips", "node_vm_capable", "nodegroups"],
  ...["offline_nodes", "online_nodes", "primary_ip_family", "release_version"],
  ...["shared_file_storage_dir", "ssh_ports", "uid_pool"],
  ...["chroot", "fake", "kvm", "lxc", "xen-hvm", "xen-pvm"].map((name) => `hvparams_${name}`),
]);

/** Creation of a cluster: its first configuration, checked, with the certificates of its nodes. */

import { type ConfigurationContent, initialConfiguration, storedSerial } from "@ganeti-ts/config";
import { isForbiddenStorage } from "@ganeti-ts/node-calls";
import { type CreationPorts, type NewCluster, NewClusterError } from "./new-cluster.js";
import { settledConfiguration } from "./settled-configuration.js";

/**
 * Creates the cluster unless one exists; returns whether it did. Everything is stored, or nothing.
 * @throws NewClusterError in the words of the failed check; ConfigError on a group that is not
 * listed
 */
export async function createCluster(wanted: NewCluster, ports: CreationPorts): Promise<boolean> {
  const { store } = ports;
  if ((await storedSerial(store)) > 0) return false;
  checkStorage(wanted);
  const { serial, rows } = await settledConfiguration(
    contentOf(wanted, ports),
    wanted.parameters,
    ports,
  );
  return (await store.commit({ expectedSerial: 0, serial, rows: [...rows] })) === "done";
}

/** @throws NewClusterError if disks in files would be in a system directory */
function checkStorage({ cluster = {} }: NewCluster): void {
  for (const key of [
    "file_storage_dir",
    "shared_file_storage_dir",
    "gluster_storage_dir",
  ] as const) {
    const directory = cluster[key];
    if (directory === undefined || !isForbiddenStorage(directory)) continue;
    throw new NewClusterError(`${key} must not be a system directory: ${directory}`);
  }
}

const contentOf = (
  { name, nodes, groups, hypervisors, disk_templates, cluster }: NewCluster,
  { clock, random }: CreationPorts,
): ConfigurationContent =>
  initialConfiguration({
    clusterName: name,
    nodes,
    random,
    now: clock.wallMicros() / 1e6,
    ...(groups && { groups: groups.map((group) => ({ name: group })) }),
    ...(hypervisors && { hypervisors }),
    ...(disk_templates && { diskTemplates: disk_templates }),
    cluster: { default_iallocator: "hail", ...cluster },
  });

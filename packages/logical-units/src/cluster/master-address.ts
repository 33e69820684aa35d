/** The cluster's own address, as the master is told to have it. */
import type { Snapshot } from "@ganeti-ts/config";
import type { MasterAddress } from "@ganeti-ts/node-calls";

export const masterAddress = ({ cluster }: Pick<Snapshot, "cluster">): MasterAddress => ({
  ip: cluster.master_ip,
  netdev: cluster.master_netdev,
  netmask: cluster.master_netmask,
  externalScript: cluster.use_external_mip_script,
});

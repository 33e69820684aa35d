/** The cluster's own address, in the form that the master node expects. */
import { isIpv6, type Snapshot } from "@ganeti-ts/config";
import type { MasterAddress } from "@ganeti-ts/node-calls";

/** Address of the cluster in the form of the calls that bring it up and down. */
export const masterAddress = ({ cluster }: Pick<Snapshot, "cluster">): MasterAddress => ({
  uuid: cluster.master_node,
  ip: cluster.master_ip,
  netdev: cluster.master_netdev,
  netmask: cluster.master_netmask,
  family: isIpv6(cluster.master_ip) ? 6 : 4,
  externalScript: cluster.use_external_mip_script,
});

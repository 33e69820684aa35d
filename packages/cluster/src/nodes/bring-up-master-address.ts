import type { Snapshot } from "@ganeti-ts/config";
import { masterAddress } from "@ganeti-ts/logical-units";
import type { NodeBackend } from "@ganeti-ts/node-calls";
import type { ClusterLog } from "../log.js";
import { nobody } from "./asking-nodes.js";

/** Brings up the cluster's address on the master node, unless it is up. As in Ganeti, a failure is only logged. One call. */
export async function bringUpMasterAddress(
  nodes: NodeBackend,
  now: Snapshot,
  log: ClusterLog,
): Promise<void> {
  const address = masterAddress(now);
  const answer = await nodes.call(address.uuid, "node_activate_master_ip", address, nobody);
  if (answer.ok) log.info({ ip: address.ip }, "the master has the cluster's address");
  else
    log.error(
      { ip: address.ip, problem: answer.message },
      "could not bring up the cluster's address",
    );
}

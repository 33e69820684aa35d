/** Change of a node's secondary address, which mirrors of disks use. */

import { instanceLabel } from "@ganeti-ts/cluster-queries";
import type { Snapshot } from "@ganeti-ts/config";
import { PrereqError } from "@ganeti-ts/job-queue";
import type { InstanceObject, NodeObject, OpcodeOf } from "@ganeti-ts/protocol";
import { checkInstanceState } from "../instance/running/running.js";
import { down } from "../instance/state.js";
import { ask, valueOrRefuse, warn } from "../unit/effects.js";
import { wrongInput, wrongState } from "../unit/refusals.js";
import type { UnitContext } from "../unit/unit.js";
import { lacksAddress } from "./add.js";
import { isSingleHomed } from "./addresses.js";

type Op = OpcodeOf<"OP_NODE_SET_PARAMS">;

/** Instances with a mirror on the node. */
export function mirroredInstances(now: Snapshot, { uuid }: NodeObject): InstanceObject[] {
  const { primary, secondary } = now.instancesOfNode(uuid);
  return [...primary, ...secondary].filter((one) =>
    now.disksOf(one).some(({ dev_type }) => dev_type === "drbd"),
  );
}

/** @throws PrereqError */
export async function checkSecondaryIp(
  context: UnitContext,
  op: Op,
  node: NodeObject,
): Promise<void> {
  const address = op.secondary_ip as string;
  checkKind(context, op, node, address);
  const affected = mirroredInstances(context.now, node);
  if (node.offline) {
    if (affected.length === 0) return;
    wrongState(
      "Cannot change secondary IP address: offline node has instances" +
        ` (${affected.map(instanceLabel).join(", ")}) configured to use it`,
    );
  }
  for (const instance of affected) {
    if (instance.forthcoming) continue;
    await checkInstanceState(context, instance, down, "cannot change secondary ip");
  }
  const has = valueOrRefuse(
    await ask(context, node.uuid, "node_has_ip_address", { address }),
    `Failure checking secondary ip on node ${node.name}`,
  );
  if (!has) throw new PrereqError("environment_error", lacksAddress(address));
}

/** When the cluster changes between one and two networks, the master goes first and needs force. */
function checkKind(context: UnitContext, op: Op, node: NodeObject, address: string): void {
  const master = context.now.expectNode(context.now.cluster.master_node);
  const isForced = op.force && node.uuid === master.uuid;
  if (isSingleHomed(master) && address !== node.primary_ip) {
    if (!isForced) {
      wrongInput(
        "Changing the secondary ip on a single-homed cluster requires the --force option to be" +
          " passed, and the target node to be the master",
      );
    }
    warn(
      context,
      "Transitioning from single-homed to multi-homed cluster; all nodes will require a secondary" +
        " IP address",
    );
  } else if (!isSingleHomed(master) && address === node.primary_ip) {
    if (!isForced) {
      wrongInput(
        "Cannot set the secondary IP to be the same as the primary IP on a multi-homed cluster," +
          " unless the --force option is passed, and the target node is the master",
      );
    }
    warn(
      context,
      "Transitioning from multi-homed to single-homed cluster; secondary IP addresses will have" +
        " to be removed",
    );
  }
}

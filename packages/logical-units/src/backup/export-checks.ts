/** Checks of an export request, and the target of each disk. */

import { filledHvparams, type Snapshot } from "@ganeti-ts/config";
import { refusalWithoutCode } from "@ganeti-ts/job-queue";
import type { NodeObject, OpcodeOf, RealInstance } from "@ganeti-ts/protocol";
import {
  checkedCertificate,
  checkedDestination,
  checkedKeyName,
  domainSecret,
} from "../instance/domain/domain.js";
import { checkNodeNotDrained, checkNodeOnline } from "../instance/running/node-checks.js";
import type { Destination, Trust } from "../instance/transfer/between-clusters.js";
import { checkCompressionTool } from "../instance/transfer/loop.js";
import { namedNode } from "../unit/nodes.js";
import { wrongInput, wrongState } from "../unit/refusals.js";
import type { UnitContext, World } from "../unit/unit.js";

export type ExportOp = OpcodeOf<"OP_BACKUP_EXPORT">;

export type ExportTarget =
  | { readonly kind: "node"; readonly node: NodeObject }
  | {
      readonly kind: "cluster";
      readonly trust: Trust;
      readonly destinations: readonly Destination[];
    };

/** Checks run in Ganeti's order. @throws PrereqError, OperationError */
export async function checkedExport(
  context: UnitContext,
  op: ExportOp,
  instance: RealInstance,
): Promise<ExportTarget> {
  const { now } = context;
  if (op.mode === "remote") {
    if (!op.x509_key_name?.length) wrongInput("Missing X509 key name for encryption");
    if (op.destination_x509_ca === undefined) wrongInput("Missing destination X509 CA");
  }
  checkZeroingMakesSense(op);
  checkNodeOnline(now, instance.primary_node);
  if (op.remove_instance && instance.admin_state === "up" && !op.shutdown) {
    wrongState("Can not remove instance without shutting it down before");
  }
  const target =
    op.mode === "remote" ? await otherCluster(op, context, instance) : targetNode(op, now);
  if (op.zero_free_space) checkZeroing(now, instance);
  else if (op.zeroing_timeout_fixed !== undefined || op.zeroing_timeout_per_mib !== undefined) {
    wrongInput("Zeroing timeout options can only be used only with the --zero-free-space option");
  }
  if (op.long_sleep && !op.shutdown) {
    wrongInput("The long sleep option only makes sense when the instance can be shut down.");
  }
  checkCompressionTool(now, op.compress);
  return target;
}

function checkZeroingMakesSense(op: ExportOp): void {
  if (!op.zero_free_space) return;
  if (op.compress === "") {
    throw refusalWithoutCode("Zeroing free space does not make sense unless compression is used");
  }
  if (!op.shutdown) {
    throw refusalWithoutCode("Unless the instance is shut down, zeroing cannot be used.");
  }
}

/** Zeroing needs a disk that the helper VM can boot from, and an end that can be observed. */
function checkZeroing(now: Snapshot, instance: RealInstance): void {
  const hvparams = filledHvparams(now, instance);
  if (instance.hypervisor === "kvm" && hvparams.user_shutdown !== true) {
    wrongInput("Instance shutdown detection must be enabled for zeroing to work");
  }
  if (hvparams.boot_order !== undefined && hvparams.boot_order !== "disk") {
    wrongInput("Booting from disk must be set for zeroing to work");
  }
  if (now.cluster.zeroing_image === "") {
    wrongInput("A zeroing image must be set for zeroing to work");
  }
}

function targetNode(op: ExportOp, now: Snapshot): ExportTarget {
  const node = exportNode(op, now);
  checkNodeOnline(now, node.uuid);
  checkNodeNotDrained(now, node.uuid);
  return { kind: "node", node };
}

/** @throws PrereqError, ConfigError */
export function exportNode(op: ExportOp, now: Snapshot): NodeObject {
  if (typeof op.target_node !== "string") {
    return wrongInput("A local export needs the name of a node as its target");
  }
  return namedNode(now, { node_name: op.target_node, node_uuid: op.target_node_uuid });
}

async function otherCluster(
  op: ExportOp,
  world: World,
  instance: RealInstance,
): Promise<ExportTarget> {
  const given = Array.isArray(op.target_node) ? op.target_node : [op.target_node];
  if (given.length !== instance.disks.length) {
    wrongInput(
      `Received destination information for ${given.length} disks, but instance` +
        ` ${instance.name} has ${instance.disks.length} disks`,
    );
  }
  const secret = await domainSecret(world);
  const keyName = await checkedKeyName(secret, op.x509_key_name ?? []);
  if (!keyName.ok) return wrongInput(keyName.fault);
  const signed = op.destination_x509_ca ?? "";
  const caPem = await checkedCertificate(world, secret, signed, "destination");
  const destinations: Destination[] = [];
  for (const [index, one] of given.entries()) {
    const checked = await checkedDestination(secret, index, one);
    if (!checked.ok) {
      return wrongInput(`Target info for disk ${index}: ${checked.fault}`);
    }
    destinations.push(checked.value);
  }
  return { kind: "cluster", trust: { keyName: keyName.value, caPem }, destinations };
}

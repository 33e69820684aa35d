/** Removal of a claim, with the devices that it holds on nodes. */

import { releaseChanges } from "@ganeti-ts/config";
import type { Claim, ClaimOf } from "@ganeti-ts/protocol";
import { putting } from "../capacity/claim.js";
import { stopLeft } from "../instance/running/left-running.js";
import { applied } from "../unit/unit.js";
import { clearCommit } from "./clear-commit.js";
import { areRecreatedGone, isExportGone } from "./exports-and-recreations.js";
import { removeDevices } from "./remove-devices.js";
import { type RecoveryPorts, type Remaining, replacing } from "./replacing.js";

/**
 * Removes the claimed devices from their nodes, then the claim. If a node refuses or does not answer, the claim stays; one
 * of a creation gives up its name and addresses. Devices on offline nodes, and old copies of disks whose new copy is not
 * complete, pass to claims of their own, which hold no space. Returns whether the claim is gone.
 */
export async function clearClaim(ports: RecoveryPorts, claim: Claim): Promise<boolean> {
  const now = ports.config.snapshot;
  switch (claim.kind) {
    case "creation":
      return clearCreation(ports, claim);
    case "commit":
      return clearCommit(ports, claim);
    case "space":
      return clearDevices(ports, claim);
    case "removal":
      return (await stopLeft(ports, claim)) && clearDevices(ports, claim);
    case "export":
      return (await isExportGone(ports, now, claim)) && drop(ports, claim, []);
    case "recreation":
      return (await areRecreatedGone(ports, now, claim)) && drop(ports, claim, []);
  }
}

async function clearCreation(ports: RecoveryPorts, claim: ClaimOf<"creation">): Promise<boolean> {
  const { primary_node: primary } = claim.instance;
  const remaining =
    primary === undefined ? [] : await removeDevices(ports, { primary, disks: claim.disks });
  if (remaining === undefined) {
    await giveUpName(ports, claim);
    return false;
  }
  return drop(ports, claim, remaining);
}

async function clearDevices(
  ports: RecoveryPorts,
  claim: ClaimOf<"space" | "removal">,
): Promise<boolean> {
  const remaining = await removeDevices(ports, { primary: claim.node, disks: claim.disks });
  if (remaining === undefined) return false;
  // Nothing changes as long as all devices have to stay.
  const isAll = remaining.length > 0 && remaining.length === claim.disks.length;
  return !isAll && drop(ports, claim, remaining);
}

/**
 * The claim of a creation keeps its disks alone, with their minors and ports, so that an instance of this name can be made
 * at once.
 */
async function giveUpName(ports: RecoveryPorts, { uuid }: ClaimOf<"creation">): Promise<void> {
  await applied(ports, (latest) => {
    const claim = latest.claim(uuid);
    if (claim?.kind !== "creation") return [];
    const { name: _, network_port: __, ...instance } = claim.instance;
    const released = releaseChanges(latest, [{ instance: claim.instance, disks: [] }]);
    const put = putting({ ...claim, instance: { ...instance, nics: [] } });
    return [put, ...released];
  });
}

/** Replaces the claim, if it still exists, by claims on the remaining devices. */
async function drop(
  ports: RecoveryPorts,
  claim: Claim,
  remaining: readonly Remaining[],
): Promise<boolean> {
  const { value } = await ports.config.change((latest) => {
    const value = latest.claim(claim.uuid) !== undefined;
    return { changes: value ? replacing(ports, latest, claim, remaining) : [], value };
  }, ports);
  return value;
}

/** Removal of a claim, with the devices that it holds on nodes. */

import type { ConfigChange, Snapshot } from "@ganeti-ts/config";
import {
  hypervisorOnNode,
  instanceOnNode,
  put,
  realDisksOf,
  releaseChanges,
} from "@ganeti-ts/config";
import type { Claim, ClaimOf, ForthcomingDisk, RealDisk, RealInstance } from "@ganeti-ts/protocol";
import { putting } from "../capacity/claim.js";
import { goingBack, settling } from "../instance/create/commit-steps.js";
import { renewedDisks } from "../instance/create/share-difference.js";
import { claimsOfLeft } from "../instance/disks/creation.js";
import { forthcomingDisk } from "../instance/plan/disks.js";
import { nodesOfDisk } from "../instance/running/activation.js";
import { stopLeft } from "../instance/running/left-running.js";
import { ask } from "../unit/effects.js";
import { applied, contextAt } from "../unit/unit.js";
import { areRecreatedGone, isExportGone, removeDevices, removeFrom } from "./remove-devices.js";
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

/** Returns whether the claim is gone. */
async function clearCommit(ports: RecoveryPorts, claim: ClaimOf<"commit">): Promise<boolean> {
  const now = ports.config.snapshot;
  const entry = now.instance(claim.reservation);
  if (entry !== undefined && !entry.forthcoming) return endCommit(ports, claim, entry);
  const primary = entry?.primary_node;
  const remaining =
    primary === undefined
      ? []
      : await removeDevices(ports, { primary, disks: toBeMade(now, claim) });
  if (remaining === undefined) return false;
  const { value } = await ports.config.change((latest) => {
    const value = latest.claim(claim.uuid) !== undefined;
    if (!value) return { changes: [], value };
    const changes = replacing(ports, latest, claim, remaining);
    return { changes: [...changes, ...renewals(ports, latest, claim, remaining)], value };
  }, ports);
  return value;
}

/** The disks of the new form, or those of the reservation if it keeps them all. */
function toBeMade(now: Snapshot, { reservation, names }: ClaimOf<"commit">) {
  const entry = now.instance(reservation);
  return names.disks.length > 0 || entry === undefined ? names.disks : now.disksOf(entry);
}

/** New names for the disks of the reservation of which devices remain. */
function renewals(
  { config }: RecoveryPorts,
  now: Snapshot,
  { reservation }: ClaimOf<"commit">,
  remaining: readonly Remaining[],
): readonly ConfigChange[] {
  const entry = now.instance(reservation);
  if (!entry?.forthcoming) return [];
  const disks = now.disksOf(entry) as readonly ForthcomingDisk[];
  const renewed = renewedDisks({ now, config }, disks, remaining);
  return Array.from(renewed.values(), (object) => put("disk", object));
}

/** The instance that the claim's reservation has become. */
function madeReal(now: Snapshot, { reservation }: ClaimOf<"commit">): RealInstance | undefined {
  const entry = now.instance(reservation);
  return entry?.forthcoming ? undefined : entry;
}

/**
 * An instance whose commit died is finished if it runs; else its disks are removed, and it is the reservation again that
 * it was. While a node does not tell, everything stays as it is.
 */
async function endCommit(
  ports: RecoveryPorts,
  claim: ClaimOf<"commit">,
  instance: RealInstance,
): Promise<boolean> {
  const { former, job: jobId } = claim;
  const { config } = ports;
  const outcome = former === undefined ? "runs" : await unmade(ports, config.snapshot, instance);
  if (outcome === "unknown") return false;
  const { value } = await config.change((latest) => {
    const real = madeReal(latest, claim);
    if (latest.claim(claim.uuid) === undefined || real === undefined) {
      return { changes: [], value: false };
    }
    if (outcome === "runs" || former === undefined) {
      return { changes: settling(latest, real.uuid), value: true };
    }
    const disks = latest.disksOf(real).map((disk) => forthcomingDisk(disk as RealDisk, true));
    const completed = { instance: { ...real, forthcoming: true } as const, disks };
    const context = contextAt({ config, jobId }, latest);
    const back = goingBack(context, { former, completed }, outcome);
    return { changes: [...back, ...claimsOfLeft(context, outcome).map(putting)], value: true };
  }, ports);
  return value;
}

/** Stops what an unfinished commit runs, the installation at most, and removes the disks. Returns devices that remain. */
async function unmade(
  ports: RecoveryPorts,
  now: Snapshot,
  instance: RealInstance,
): Promise<readonly Remaining[] | "runs" | "unknown"> {
  const { name, hypervisor, primary_node: node, admin_state } = instance;
  const wanted = { name, hypervisor: hypervisorOnNode(now, hypervisor) };
  const running = await ask(ports, node, "instance_info", wanted);
  if (!running.ok && !running.offline) return "unknown";
  const mayRun = !running.ok || running.value !== null;
  // It is marked up once it is installed: nothing but its start may be missing.
  if (admin_state === "up" && mayRun) return "runs";
  if (running.ok && running.value !== null) {
    const what = { instance: instanceOnNode(now, instance), timeoutSeconds: 0 };
    if (!(await ask(ports, node, "instance_shutdown", what)).ok) return "unknown";
  }
  const remaining: Remaining[] = [];
  let isDone = true;
  for (const disk of realDisksOf(now, instance)) {
    for (const on of nodesOfDisk(disk, node)) {
      const outcome = await removeFrom(ports, now, instance, disk, on);
      if (outcome === "remains") remaining.push({ node: on, disk });
      isDone &&= outcome !== "failed";
    }
  }
  return isDone ? remaining : "unknown";
}

/** Addresses of nodes: unique, and either on one network for all nodes or on two. */

import type { Snapshot } from "@ganeti-ts/config";
import { PrereqError } from "@ganeti-ts/job-queue";
import type { NodeObject } from "@ganeti-ts/protocol";
import { wrongInput } from "../unit/refusals.js";

/**
 * @throws PrereqError if another node has one of the addresses, or a readded node had another
 * secondary one
 */
export function checkAddresses(
  now: Snapshot,
  host: { readonly name: string; readonly ip: string },
  secondaryIp: string,
  before: NodeObject | undefined,
): void {
  if (before !== undefined && before.secondary_ip !== secondaryIp) {
    wrongInput("Readded node doesn't have the same IP address configuration as before");
  }
  const wanted = [host.ip, secondaryIp];
  for (const { uuid, name, primary_ip, secondary_ip } of now.nodes()) {
    if (uuid === before?.uuid) continue;
    if (!wanted.includes(primary_ip) && !wanted.includes(secondary_ip)) continue;
    throw new PrereqError(
      "resource_not_unique",
      `New node ip address(es) conflict with existing node ${name}`,
    );
  }
}

export const isSingleHomed = ({ primary_ip, secondary_ip }: NodeObject): boolean =>
  primary_ip === secondary_ip;

/** @throws PrereqError if the node has two networks and the master one, or vice versa */
export function checkHoming(master: NodeObject, primaryIp: string, secondaryIp: string): void {
  const alone = primaryIp === secondaryIp;
  if (isSingleHomed(master) === alone) return;
  wrongInput(
    alone
      ? "The master has a secondary ip but the new node doesn't have one"
      : "The master has no secondary ip but the new node has one",
  );
}

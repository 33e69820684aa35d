/**
 * Instances that have been removed, or started elsewhere, although their node did not stop them. A claim on the node keeps
 * the name of such an instance until it has been stopped: by recovery, or by the job that starts an instance of the name
 * there. Once recovery has begun, no such job goes on, because a call that is under way would stop what it starts.
 */
import { type Configuration, hypervisorOnNode, type Snapshot } from "@ganeti-ts/config";
import {
  failed,
  type HypervisorOnNode,
  type InstanceCalls,
  type InstanceOnNode,
  type NodeAnswer,
} from "@ganeti-ts/node-calls";
import type { ClaimOf, NodeUuid } from "@ganeti-ts/protocol";
import { putting } from "../../capacity/claim.js";
import { ask, type Calling } from "../../unit/effects.js";
import type { World } from "../../unit/unit.js";

/** An instance of which no more than the name is known. */
export const strangerOnNode = (
  name: string,
  { name: hypervisor, hvparams }: HypervisorOnNode,
): InstanceOnNode => ({
  ...{ uuid: "", name, hypervisor, hvparams, beparams: {}, osparams: {} },
  ...{ nics: [], disks: [] },
});

type LeftRunning = NonNullable<ClaimOf<"removal">["running"]>;

/** Stops at once whatever runs under this name on the node. */
export const stopByName = (
  calling: Calling,
  now: Snapshot,
  node: NodeUuid,
  { name, hypervisor }: Pick<LeftRunning, "name" | "hypervisor">,
): Promise<NodeAnswer<null>> =>
  ask(calling, node, "instance_shutdown", {
    instance: strangerOnNode(name, hypervisorOnNode(now, hypervisor)),
    timeoutSeconds: 0,
  });

/** The claim with nothing running on its node. */
const stopped = ({ running: _, ...claim }: ClaimOf<"removal">) => putting(claim);

/** Stops the instance that the job of the claim, which is over, may have left running. False if it may run on. */
export async function stopLeft(
  ports: Calling & { readonly config: Configuration },
  { uuid, node, running }: ClaimOf<"removal">,
): Promise<boolean> {
  if (running === undefined) return true;
  const note = (isBeingStopped: boolean) =>
    ports.config.change((latest) => {
      const claim = latest.claim(uuid);
      if (claim?.kind !== "removal" || claim.running === undefined)
        return { changes: [], value: false };
      const next = putting({ ...claim, running: { ...claim.running, isBeingStopped } });
      return { changes: [isBeingStopped ? next : stopped(claim)], value: true };
    }, ports);
  const { snapshot: now } = ports.config;
  if (now.node(node) === undefined || !(await note(true)).value) return true;
  const { ok } = await stopByName(ports, now, node, running);
  if (ok) await note(false);
  return ok;
}

/**
 * Stops an instance of this name that may have been left running on the node, where one is about to start. Gives the failure
 * to do so. O(claims of the node).
 */
export async function stopNamesake(
  world: World,
  node: NodeUuid,
  name: string,
): Promise<NodeAnswer<never> | undefined> {
  const heldIn = (now: Snapshot) =>
    now.claimsOfNode(node).flatMap((claim) => {
      const left = claim.kind === "removal" && claim.node === node ? claim.running : undefined;
      return claim.kind === "removal" && left?.name === name ? [{ claim, left }] : [];
    });
  const { snapshot } = world.config;
  const before = heldIn(snapshot);
  if (before.length === 0) return undefined;
  for (const { left } of before) {
    const stopped = await stopByName(world, snapshot, node, left);
    if (!stopped.ok) return failed(`${name} could not be stopped there before: ${stopped.message}`);
  }
  const { value: isAlone } = await world.config.change((latest) => {
    const held = heldIn(latest);
    const changes = held
      .filter(({ left }) => !left.isBeingStopped)
      .map(({ claim }) => stopped(claim));
    return { changes, value: changes.length === held.length };
  }, world);
  return isAlone ? undefined : failed(`An earlier ${name} is being stopped there`);
}

type StartArguments = InstanceCalls["instance_start"]["arguments"];

/** Starts an instance on a node, where none of its name has been left running. */
export async function startOnNode(
  world: World,
  node: NodeUuid,
  how: Pick<StartArguments, "instance"> & { readonly startupPaused?: boolean },
): Promise<NodeAnswer<null>> {
  const { reason } = world;
  const failure = await stopNamesake(world, node, how.instance.name);
  return failure ?? ask(world, node, "instance_start", { startupPaused: false, reason, ...how });
}

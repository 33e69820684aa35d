/** Execution of a replacement, with the disks active meanwhile. */
import { secondaryNodes } from "@ganeti-ts/config";
import type { RealInstance } from "@ganeti-ts/protocol";
import type { Demand } from "../../capacity/demand.js";
import { contextAt, type World } from "../../unit/unit.js";
import { shutdownDisks, startDisks } from "../running/activation.js";
import { checkInstanceState } from "../running/running.js";
import { nodeName, notRunning } from "../state.js";
import { inPlaceDemands, replaceInPlace } from "./in-place.js";
import { newSecondaryDemands, replaceSecondary } from "./new-secondary.js";
import type { Replacement } from "./replacement.js";

export const replacementDemands = (world: World, replacement: Replacement): readonly Demand[] =>
  replacement.newNode === undefined
    ? inPlaceDemands(world, replacement)
    : newSecondaryDemands(world.config.snapshot, replacement.instance, replacement.newNode);

/** @throws PrereqError if other operations have taken the space, ExecError */
export async function runReplacement(world: World, replacement: Replacement): Promise<void> {
  const { instance, indices, newNode } = replacement;
  const { name } = instance;
  if (indices.length === 0) {
    world.log(`No disks need replacement for instance '${name}'`);
    return;
  }
  const now = world.config.snapshot;
  const secondaries = secondaryNodes(now, instance).map((node) => nodeName(now, node));
  world.log(`Replacing disk(s) ${indices.join(", ")} for instance '${name}'`);
  world.log(`Current primary node: ${nodeName(now, instance.primary_node)}`);
  world.log(`Current secondary node: ${secondaries.join(", ")}`);
  if (!instance.disks_active) await startDisks(world, instance, true);
  try {
    if (newNode === undefined) await replaceInPlace(world, replacement);
    else await replaceSecondary(world, { ...replacement, newNode });
  } finally {
    if (!instance.disks_active) await putDown(world, instance);
  }
}

async function putDown(world: World, { uuid }: RealInstance): Promise<void> {
  const now = world.config.snapshot;
  const instance = now.instance(uuid) as RealInstance;
  await checkInstanceState(contextAt(world, now), instance, notRunning, "cannot shutdown disks");
  await shutdownDisks(world, instance);
}

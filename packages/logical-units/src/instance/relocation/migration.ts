/** Migration: transfers the memory of a running instance to the target. */
import { realDisksOf } from "@ganeti-ts/config";
import { ExecError } from "@ganeti-ts/job-queue";
import type { HypervisorFigures } from "@ganeti-ts/node-calls";
import { type Json, pause } from "@ganeti-ts/protocol";
import { ask, valueOrFail, warn } from "../../unit/effects.js";
import { contextAt, type UnitContext, type World } from "../../unit/unit.js";
import { isDiskConsistent } from "../disks/disk-consistency.js";
import { stopNamesake } from "../running/left-running.js";
import { changeInstance, nodeName } from "../state.js";
import {
  awaitMirrors,
  closeDisks,
  connectMirrors,
  disconnectMirrors,
  type Journey,
  openDisks,
  travellerOnNode,
  unmapDisks,
} from "./journey.js";
import { hasMirrors } from "./target.js";

interface MigrationOptions {
  /** The instance runs during the transfer, up to a short final pause. */
  readonly live: boolean;
  /** Current memory of the instance, and the most that the target has for it. */
  readonly memoryMib: number;
  readonly memoryMaxMib: number;
  /** The instance's memory may be reduced. */
  readonly allowRuntimeChanges: boolean;
  /** Accepts different versions of the hypervisor. */
  readonly ignoreVersions: boolean;
}

const pollMs = 1000;
const feedbackMs = 10_000;
/**
 * Patience (ms) with a source that does not report its progress. The transfer goes on without its node daemon, which may
 * be starting again: ending the target then would end a guest that has arrived.
 */
const silenceMs = 30_000;

/**
 * The configuration names the source until both sides have finished. Failures before are reverted;
 * the remaining states are resolved by a cleanup. @throws ExecError
 */
export async function migrateInstance(
  world: World,
  journey: Journey,
  options: MigrationOptions,
): Promise<void> {
  const { instance, source, target } = journey;
  const { live } = options;
  const now = world.config.snapshot;
  const nameOf = (node: string) => nodeName(now, node);
  await checkHypervisorVersions(contextAt(world, now), journey, options);
  await checkDisks(contextAt(world, now), journey);
  await shrink(world, journey, options);
  const info = valueOrFail(
    await ask(world, source, "migration_info", { instance: travellerOnNode(world, journey) }),
    `Failed fetching source migration information from ${nameOf(source)}`,
  );
  await closeDisks(world, journey, target);
  if (hasMirrors(now, instance)) {
    await disconnectMirrors(world, journey);
    await connectMirrors(world, journey, true);
    await awaitMirrors(world, journey);
  }
  await openDisks(world, journey, source, false);
  await openDisks(world, journey, target, false);

  world.log(`* preparing ${nameOf(target)} to accept the instance`);
  const traveller = { instance: travellerOnNode(world, journey) };
  const { secondary_ip: address = "" } = now.node(target) ?? {};
  const accepted =
    (await stopNamesake(world, target, instance.name)) ??
    (await ask(world, target, "accept_instance", { ...traveller, info, target: address }));
  if (!accepted.ok) {
    world.log("Pre-migration failed, aborting");
    await takeBack(world, journey, info, live);
    throw new ExecError(`Could not pre-migrate instance ${instance.name}: ${accepted.message}`);
  }
  world.log(`* migrating instance to ${nameOf(target)}`);
  const started = await ask(world, source, "instance_migrate", {
    ...traveller,
    clusterName: now.cluster.cluster_name,
    target: address,
    live,
  });
  const failure = started.ok ? await transferFailure(world, journey) : started.message;
  if (failure !== undefined) {
    world.log("Migration failed, aborting");
    await takeBackUnlessArrived(world, journey, { info, live, failure });
    throw new ExecError(`Could not migrate instance ${instance.name}: ${failure}`);
  }
  await finalize(world, journey, info, live);

  await changeInstance(world, instance.uuid, (before) => ({ ...before, primary_node: target }));
  await closeDisks(world, journey, source);
  if (hasMirrors(now, instance)) {
    await awaitMirrors(world, journey);
    await disconnectMirrors(world, journey);
    await connectMirrors(world, journey, false);
    await awaitMirrors(world, journey);
  } else {
    await openDisks(world, journey, target, true);
  }
  await unmapDisks(world, journey, source);
  world.log("* done");
}

async function checkDisks(context: UnitContext, journey: Journey): Promise<void> {
  const { instance, target: node } = journey;
  context.log("* checking disk consistency between source and target");
  for (const [at, disk] of realDisksOf(context.now, instance).entries()) {
    if (await isDiskConsistent(context, instance, disk, { node, isPrimary: false })) continue;
    throw new ExecError(
      `Disk ${at} is degraded or not fully synchronized on target node, aborting migration`,
    );
  }
}

async function shrink(world: World, journey: Journey, options: MigrationOptions): Promise<void> {
  const { instance, source, target } = journey;
  const { memoryMib, memoryMaxMib, allowRuntimeChanges } = options;
  if (memoryMib <= memoryMaxMib) return;
  if (!allowRuntimeChanges) {
    const node = nodeName(world.config.snapshot, target);
    throw new ExecError(
      "Memory ballooning not allowed and not enough free memory to fit instance" +
        ` ${instance.name} on target node ${node} (have ${memoryMaxMib}MB, need ${memoryMib}MB)`,
    );
  }
  world.log(`* setting instance memory to ${memoryMaxMib}`);
  valueOrFail(
    await ask(world, source, "instance_balloon_memory", {
      instance: travellerOnNode(world, journey),
      memoryMib: memoryMaxMib,
    }),
    "Cannot modify instance runtime memory",
  );
}

/** Waits for the end of the transfer; undefined if it succeeded. */
async function transferFailure(world: World, journey: Journey): Promise<string | undefined> {
  world.log("* starting memory transfer");
  let lastFeedbackMs = world.clock.now();
  let lastAnswerMs = lastFeedbackMs;
  for (;;) {
    const answer = await ask(world, journey.source, "instance_get_migration_status", {
      instance: travellerOnNode(world, journey),
    });
    if (!answer.ok) {
      const silentMs = world.clock.now() - lastAnswerMs;
      if (silentMs >= silenceMs || world.signal.aborted) return answer.message;
      await pause(world.clock, pollMs, world.signal);
      continue;
    }
    lastAnswerMs = world.clock.now();
    const { status, transferredMib, totalMib } = answer.value;
    if (status === "failed" || status === "cancelled") return "hypervisor returned failure";
    if (status === "completed") {
      world.log("* memory transfer complete");
      return undefined;
    }
    if (world.clock.now() - lastFeedbackMs >= feedbackMs && totalMib) {
      const percent = (100 * (transferredMib ?? 0)) / totalMib;
      world.log(`* memory transfer progress: ${percent.toFixed(2)} %`);
      lastFeedbackMs = world.clock.now();
    }
    await pause(world.clock, pollMs, world.signal);
  }
}

/** The instance continues at the target and ends at the source. @throws ExecError */
export async function finalize(
  world: World,
  journey: Journey,
  info: Json,
  live: boolean,
): Promise<void> {
  const { source, target } = journey;
  const ends = [
    [source, await finalizeSource(world, journey, true, live)],
    [target, await endTarget(world, journey, info, true)],
  ] as const;
  const faults = ends.flatMap(([node, answer]) =>
    answer.ok ? [] : [`${nodeName(world.config.snapshot, node)}: ${answer.message}`],
  );
  if (faults.length === 0) return;
  throw new ExecError(`Could not finalize instance migration: ${faults.join(" ")}`);
}

/** The instance ends at the source, or, without success, continues there. */
export const finalizeSource = (world: World, journey: Journey, success: boolean, live: boolean) =>
  ask(world, journey.source, "instance_finalize_migration_src", {
    instance: travellerOnNode(world, journey),
    success,
    live,
  });

const endTarget = (world: World, journey: Journey, info: Json, success: boolean) =>
  ask(world, journey.target, "instance_finalize_migration_dst", {
    instance: travellerOnNode(world, journey),
    info,
    success,
  });

/** Aborts the migration on both sides; returns the error of a side that failed to. */
export async function abortMigration(
  world: World,
  journey: Journey,
  info: Json,
  live: boolean,
): Promise<readonly string[]> {
  const answers = [
    await endTarget(world, journey, info, false),
    await finalizeSource(world, journey, false, live),
  ];
  return answers.flatMap((answer) => (answer.ok ? [] : [answer.message]));
}

/** Whether the source has sent its whole memory; undefined if it does not answer. */
export async function isTransferred(world: World, journey: Journey): Promise<boolean | undefined> {
  const answer = await ask(world, journey.source, "instance_get_migration_status", {
    instance: travellerOnNode(world, journey),
  });
  return answer.ok ? answer.value.status === "completed" : undefined;
}

/**
 * Takes back a migration whose transfer may have begun. A target that cannot be ended may run the instance once it has all of
 * its memory: then the source, which has stopped it, must not continue it, and both sides stay as they are.
 * @throws ExecError in that case
 */
async function takeBackUnlessArrived(
  world: World,
  journey: Journey,
  {
    info,
    live,
    failure,
  }: { readonly info: Json; readonly live: boolean; readonly failure: string },
): Promise<void> {
  const ended = await endTarget(world, journey, info, false);
  const transferred = ended.ok ? false : await isTransferred(world, journey);
  if (ended.ok || transferred === false) {
    await finalizeSource(world, journey, false, live);
    await revertDisks(world, journey);
    return;
  }
  const { instance, source, target } = journey;
  const [here, there] = [source, target].map((node) => nodeName(world.config.snapshot, node));
  const state = transferred ? "has been transferred completely" : "may have been transferred";
  throw new ExecError(
    `Could not migrate instance ${instance.name}: ${failure}. Its memory ${state}, and ${there} could not be told to end it` +
      ` (${ended.message}): it may run there and is not continued on ${here}. Once both nodes answer, or ${there} is set offline, use` +
      ` 'gnt-instance migrate --cleanup ${instance.name}'`,
  );
}

async function takeBack(world: World, journey: Journey, info: Json, live: boolean): Promise<void> {
  await abortMigration(world, journey, info, live);
  await revertDisks(world, journey);
}

/** Returns the disks to their state before the migration. Failures are logged. @throws ExecError */
async function revertDisks(world: World, journey: Journey): Promise<void> {
  const { instance, source, target } = journey;
  await closeDisks(world, journey, target);
  await unmapDisks(world, journey, target);
  if (!hasMirrors(world.config.snapshot, instance)) {
    await openDisks(world, journey, source, true);
    return;
  }
  try {
    await disconnectMirrors(world, journey);
    await connectMirrors(world, journey, false);
    await awaitMirrors(world, journey);
  } catch (error) {
    if (!(error instanceof ExecError)) throw error;
    warn(
      world,
      "Migration failed and I can't reconnect the drives, please try to recover the instance" +
        ` manually; error '${error.message}'`,
    );
  }
}

/** checkHypervisorVersions: whether an instance can go from the hypervisor of one node to that of another. */
type Version = HypervisorFigures["hypervisorVersion"];

/**
 * Asks source and target for the version of the hypervisor. Different ones are reported, and refused where such a
 * migration is likely to fail. Nodes that do not report a version pass.
 * @throws ExecError
 */
export async function checkHypervisorVersions(
  context: UnitContext,
  { instance, source, target }: Journey,
  { ignoreVersions }: { readonly ignoreVersions: boolean },
): Promise<void> {
  const { now } = context;
  const name = instance.hypervisor;
  const hypervisors = [{ name, hvparams: now.cluster.hvparams[name] ?? {} }];
  const versionOn = async (node: string) => {
    const answer = await ask(context, node, "node_info", { storage: null, hypervisors });
    const text = `Can't get node information from ${nodeName(now, node)}`;
    return valueOrFail(answer, text).hypervisors?.[0]?.hypervisorVersion;
  };
  const [from, to] = await Promise.all([versionOn(source), versionOn(target)]);
  if (from === undefined || to === undefined || shown(from) === shown(to)) return;
  const step = `from hypervisor version ${shown(from)} to ${shown(to)}`;
  context.log(
    `* warning: hypervisor version mismatch between source (${shown(from)}) and target (${shown(to)}) node`,
  );
  if (isSafe(name, from, to)) {
    context.log(`  migrating ${step} should be safe`);
    return;
  }
  context.log(`  migrating ${step} is likely unsupported`);
  if (!ignoreVersions) {
    throw new ExecError(
      `Unsupported migration between hypervisor versions (${shown(from)} to ${shown(to)})`,
    );
  }
  context.log("  continuing anyway (told to ignore version mismatch)");
}

/** As Python prints it. */
const shown = (version: Version): string =>
  typeof version === "object" ? `[${version.join(", ")}]` : String(version);

/** KVM keeps the machine's version; xen takes instances of the minor version before its own. */
function isSafe(hypervisor: string, from: Version, to: Version): boolean {
  if (hypervisor === "kvm") return true;
  if (!hypervisor.startsWith("xen") || typeof from !== "object" || typeof to !== "object") {
    return false;
  }
  const [minor = 0, target = 0] = [from[1], to[1]];
  return from[0] === to[0] && (target === minor || target === minor + 1);
}

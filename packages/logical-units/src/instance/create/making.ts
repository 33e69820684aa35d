/** Realization of a reserved instance: disks, entry, operating system, first start. */

import type { ConfigChange, Snapshot } from "@ganeti-ts/config";
import {
  diskOnNode,
  filledBeparams,
  instanceOnNode,
  put,
  realDisksOf,
  removal,
  removalChanges,
  secondaryNodes,
  shareOfClaim,
  sumOfShares,
} from "@ganeti-ts/config";
import { ExecError } from "@ganeti-ts/job-queue";
import type {
  Claim,
  InstanceUuid,
  Json,
  NodeUuid,
  RealDisk,
  RealInstance,
} from "@ganeti-ts/protocol";
import { emptySpace, putting, spaceClaim } from "../../capacity/claim.js";
import { abandonClaims, giveUpClaims } from "../../capacity/with-claims.js";
import { ask, created, valueOrFail, warn } from "../../unit/effects.js";
import { applied, contextAt, type UnitContext, type World } from "../../unit/unit.js";
import { claimsOfLeft, createDisks, removeDisks } from "../disks/creation.js";
import { imageDisks, wipeDisks } from "../disks/disk-content.js";
import { setSyncPaused, waitForSync } from "../disks/sync.js";
import { claimOfCommit } from "../plan/commit-claim.js";
import { forthcomingDisk } from "../plan/disks.js";
import { startDisks } from "../running/activation.js";
import { startOnNode } from "../running/left-running.js";
import { markedUp, nodeName } from "../state.js";
import { tellMetadata } from "../system/metadata.js";
import { availableOs, installVirtualized } from "../system/virtual-install.js";
import { becoming, type Commit, goingBack, settling } from "./commit-steps.js";
import { creationOf, realInstance } from "./reservation.js";

export interface Making {
  readonly uuid: InstanceUuid;
  readonly start: boolean;
  readonly waitForSync: boolean;
  readonly install: boolean;
  readonly debugLevel: number;
  /** Timeouts (s) of the installing helper VM: until it runs, and until it has finished. */
  readonly helper: { readonly startup: number; readonly shutdown: number };
  readonly secretOsparams: Readonly<Record<string, Json>>;
  /** Volumes or devices to adopt, in the order of the disks. */
  readonly adopted: readonly string[] | undefined;
  /** Set for a commit: a failure leaves or restores the reservation. */
  readonly commit: Commit | undefined;
  /** Fills the disks instead of an installation; returns the former name of the instance. */
  readonly fill?: (instance: RealInstance) => Promise<string>;
}

/** Returns the names of the nodes. */
export async function makeInstance(world: World, making: Making): Promise<readonly string[]> {
  const { uuid, start } = making;
  const planned = plannedOf(world.config.snapshot, making);
  await makeDisks(world, making, planned);
  world.log(`adding instance ${planned.instance.name} to cluster config`);
  world.log("adding disks to cluster config");
  let claims = await becomeReal(world, making);
  try {
    await completeDisks(world, making);
    if (making.commit !== undefined) claims = commitOf(world.config.snapshot, making);
    const areUp = await install(world, making, claims);
    await tellMetadata(world, uuid, making.secretOsparams);
    if (start) await startFirst(world, uuid, claims, areUp);
  } finally {
    if (claims.length > 0 && !isLeftToRecovery(world, making)) await giveUpClaims(world, claims);
  }
  const now = world.config.snapshot;
  const instance = now.instance(uuid) as RealInstance;
  created(world, "instance", instance);
  return nodesOf(now, instance).map((node) => nodeName(now, node));
}

/** A killed commit makes no further calls: recovery restores the reservation. */
const isLeftToRecovery = ({ signal }: World, { commit }: Making): boolean =>
  commit !== undefined && signal.aborted;

interface Planned {
  readonly instance: RealInstance;
  readonly disks: readonly RealDisk[];
}

/** The planned instance; the claim of a creation contains the plan itself. */
function plannedOf(now: Snapshot, { uuid, commit }: Making): Planned {
  const { instance, disks } = commit?.completed ?? present(creationOf(now, uuid), uuid);
  return {
    instance: realInstance(instance),
    disks: disks.map((disk) => forthcomingDisk(disk, false)),
  };
}

async function startFirst(
  world: World,
  uuid: InstanceUuid,
  claims: readonly Claim[],
  areUp: boolean,
): Promise<void> {
  await applied(world, (now) => {
    const object = markedUp(now.instance(uuid) as RealInstance);
    const up = put("instance", object);
    return [up, ...beginning(now, claims)];
  });
  const marked = world.config.snapshot.instance(uuid) as RealInstance;
  // A helper VM leaves the disks inactive.
  if (!areUp) await startDisks(world, marked, null);
  world.log("* starting instance...");
  const now = world.config.snapshot;
  const instance = now.instance(uuid) as RealInstance;
  valueOrFail(
    await startOnNode(world, instance.primary_node, {
      instance: instanceOnNode(now, instance),
    }),
    "Could not start instance",
  );
}

/** From now on nodes may count the claimed resources. */
const beginning = (now: Snapshot, claims: readonly Claim[]): readonly ConfigChange[] =>
  claims
    .flatMap(({ uuid }) => now.claim(uuid) ?? [])
    .map((claim) => putting("isBegun" in claim ? { ...claim, isBegun: true } : claim));

const nodesOf = (now: Snapshot, instance: RealInstance): readonly NodeUuid[] => [
  instance.primary_node,
  ...secondaryNodes(now, instance),
];

/** A failure drops the claim of the job; a committed reservation stays. */
async function makeDisks(
  world: World,
  making: Making,
  { instance, disks }: Planned,
): Promise<void> {
  const now = world.config.snapshot;
  const context = contextAt(world, now);
  try {
    if (making.adopted !== undefined) {
      await adoptDisks(context, instance, disks, making.adopted);
      return;
    }
    world.log("* creating instance disks...");
    await createDisks(context, instance, disks);
  } catch (error) {
    if (making.adopted === undefined) warn(world, "Device creation failed");
    await abandonClaims(world, claimsFor(world.config.snapshot, making));
    throw error;
  }
}

/** The claim that holds the disks. */
const claimsFor = (now: Snapshot, making: Making): readonly Claim[] =>
  making.commit === undefined ? [creationOf(now, making.uuid) ?? []].flat() : commitOf(now, making);

/** The claim of a commit, until the instance is complete, with the memory of the running instance. */
const commitOf = (now: Snapshot, { uuid }: Making): readonly Claim[] =>
  [claimOfCommit(now, uuid) ?? []].flat();

/** @throws ExecError if recovery has dropped the claim because the job is over */
function present<C extends Claim>(claim: C | undefined, uuid: InstanceUuid): C {
  if (claim === undefined) {
    throw new ExecError(`Instance ${uuid} disappeared while it was created`);
  }
  return claim;
}

/** Volumes are renamed to the names of the disks; devices keep their paths. */
async function adoptDisks(
  context: UnitContext,
  instance: RealInstance,
  disks: readonly RealDisk[],
  adopted: readonly string[],
): Promise<void> {
  const renames = disks.flatMap((disk, at) => {
    if (disk.dev_type !== "plain") return [];
    const found = { ...disk, logical_id: [disk.logical_id[0] ?? null, adopted[at] ?? null] };
    return [{ disk: diskOnNode(context.now, instance, found), logicalId: disk.logical_id }];
  });
  if (renames.length === 0) return;
  valueOrFail(
    await ask(context, instance.primary_node, "blockdev_rename", { renames }),
    "Failed to rename adoped LVs",
  );
}

const giveUpCommit = (world: World, uuid: InstanceUuid) =>
  applied(world, (now) => settling(now, uuid));

/**
 * Memory and processors stay claimed until the instance runs, because no node counts them before.
 * Returns the claims.
 */
async function becomeReal(
  world: World,
  { uuid, start, commit }: Making,
): Promise<readonly Claim[]> {
  const { value } = await world.config.change((now) => {
    if (commit !== undefined) {
      const claim = present(claimOfCommit(now, uuid), uuid);
      return { changes: becoming(contextAt(world, now), commit, claim), value: [] };
    }
    const creation = present(creationOf(now, uuid), uuid);
    const disks = creation.disks.map((disk) => forthcomingDisk(disk, false));
    const real = realInstance(creation.instance);
    const claims = start ? [claimOfRunning(contextAt(world, now), real)] : [];
    return {
      changes: [
        removal("claim", creation.uuid),
        ...disks.map((object) => put("disk", object)),
        put("instance", real),
        ...claims.map(putting),
      ],
      value: claims,
    };
  }, world);
  return value;
}

/** Whether the claims on its node cover the memory that the instance runs with. */
function hasMemory(now: Snapshot, instance: RealInstance, claims: readonly Claim[]): boolean {
  const { memoryMib } = sumOfShares(
    claims.map((claim) => shareOfClaim(now, claim, instance.primary_node)),
  );
  return memoryMib >= filledBeparams(now, instance).maxmem;
}

function claimOfRunning(context: UnitContext, instance: RealInstance): Claim {
  const { maxmem: memoryMib, vcpus } = filledBeparams(context.now, instance);
  const space = { ...emptySpace(instance.primary_node), memoryMib, vcpus };
  return spaceClaim(context, space, [], false);
}

/**
 * Completes the disks, or removes the instance; a committed reservation is restored. @throws
 * ExecError
 */
async function completeDisks(world: World, making: Making): Promise<void> {
  const { commit, uuid } = making;
  let isBad = true;
  try {
    isBad = !(await areCompleted(world, making));
  } catch (error) {
    // The state of the disks is unknown, so the instance stays real.
    if (commit !== undefined && !world.signal.aborted) await giveUpCommit(world, uuid);
    throw error;
  }
  if (!isBad) return;
  const now = world.config.snapshot;
  const instance = now.instance(uuid) as RealInstance;
  const { left } = await removeDisks(contextAt(world, now), instance, realDisksOf(now, instance));
  await applied(world, (latest) => {
    const context = contextAt(world, latest);
    const back =
      commit === undefined ? removalChanges(latest, [uuid]) : goingBack(context, commit, left);
    const claims = claimsOfLeft(context, left);
    return [...back, ...claims.map(putting)];
  });
  throw new ExecError("There are some degraded disks for this instance");
}

/** Wipes, synchronizes and images the disks; false if a step failed. */
async function areCompleted(world: World, making: Making): Promise<boolean> {
  const now = world.config.snapshot;
  const context = contextAt(world, now);
  const instance = now.instance(making.uuid) as RealInstance;
  let isBad = false;
  if (making.adopted === undefined && now.cluster.prealloc_wipe_disks) {
    world.log("* wiping instance disks...");
    const failure = await failureOf(() => wipeDisks(context, instance, realDisksOf(now, instance)));
    if (failure !== undefined) warn(world, `Wiping instance disks failed (${failure})`);
    isBad = failure !== undefined;
  }
  if (!isBad) isBad = !(await areDisksGood(world, making, instance));
  const image = instance.osparams["os-image"];
  if (!isBad && making.adopted === undefined && typeof image === "string") {
    world.log("* imaging instance disks...");
    const failure = await failureOf(() => imageDisks(context, instance, image));
    if (failure !== undefined) warn(world, `Imaging instance disks failed (${failure})`);
    isBad = failure !== undefined;
  }
  // Checked again after the image, or without one.
  return !isBad && (await areDisksGood(world, making, instance));
}

async function areDisksGood(world: World, making: Making, instance: RealInstance) {
  if (making.waitForSync) return waitForSync(world, instance);
  const disks = realDisksOf(world.config.snapshot, instance);
  if (!disks.some(({ dev_type }) => dev_type === "drbd")) return true;
  world.log("* checking mirrors status");
  return waitForSync(world, instance, { oneshot: true });
}

async function failureOf(work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof ExecError) return error.message;
    throw error;
  }
}

/**
 * Runs the scripts of the operating system on the disks, if there are any. Returns whether the
 * disks are active.
 */
async function install(world: World, making: Making, claims: readonly Claim[]): Promise<boolean> {
  const now = world.config.snapshot;
  const context = contextAt(world, now);
  const instance = now.instance(making.uuid) as RealInstance;
  const { primary_node: node, os, name } = instance;
  const isTrusted = os === "" || (await availableOs(context, instance)).trusted;
  if (making.fill !== undefined) {
    if (instance.disks.length === 0) return true;
    const oldName = await making.fill(instance);
    if (os === "") return true;
    world.log(`Running rename script for ${name}`);
    const answer = await ask(world, node, "instance_run_rename", {
      instance: instanceOnNode(now, instance),
      oldName,
      debugLevel: making.debugLevel,
    });
    if (!answer.ok) {
      const where = `for ${name} on node ${nodeName(now, node)}`;
      warn(world, `Failed to run rename script ${where}: ${answer.message}`);
    }
    return true;
  }
  if (os === "" || instance.disks.length === 0 || making.adopted !== undefined) return true;
  if (!making.install || instance.osparams["os-image"] !== undefined) return true;
  if (!isTrusted) {
    const { startup, shutdown } = making.helper;
    await applied(world, (latest) => beginning(latest, claims));
    await installVirtualized(world, instance, {
      startupTimeoutSeconds: startup,
      timeoutSeconds: shutdown,
      secretOsparams: making.secretOsparams,
      hasMemory: hasMemory(now, instance, claims),
    });
    return false;
  }
  const disks = realDisksOf(now, instance);
  const pauses = !making.waitForSync && disks.some(({ dev_type }) => dev_type === "drbd");
  if (pauses) {
    world.log("* pausing disk sync to install instance OS");
    await setSyncPaused(context, instance, disks, true);
  }
  world.log("* running the instance OS create scripts...");
  const answer = await ask(world, node, "instance_os_add", {
    instance: instanceOnNode(now, instance, { osparams: making.secretOsparams }),
    reinstall: false,
    debugLevel: making.debugLevel,
  });
  if (pauses) {
    world.log("* resuming disk sync");
    await setSyncPaused(context, instance, disks, false);
  }
  valueOrFail(answer, `Could not add os for instance ${name} on node ${nodeName(now, node)}`);
  return true;
}

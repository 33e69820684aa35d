/** OP_INSTANCE_FAILOVER and OP_INSTANCE_MIGRATE: an instance moves to another node that has its disks. */

import {
  filledBeparams,
  filledHvparams,
  instanceOnNode,
  nodesOfInstance,
  type Snapshot,
  secondaryNodes,
} from "@ganeti-ts/config";
import type {
  ForthcomingInstance,
  InstanceObject,
  NodeUuid,
  OpcodeOf,
  RealInstance,
} from "@ganeti-ts/protocol";
import { whileRefused } from "../../capacity/chosen-again.js";
import { checkRoom, type Demand } from "../../capacity/demand.js";
import { withClaim } from "../../capacity/with-claims.js";
import { type HookVariables, onNodes } from "../../hooks/hooks.js";
import { instanceHooks } from "../../hooks/instance-hooks.js";
import { ask, info, valueOrRefuse } from "../../unit/effects.js";
import { wrongInput, wrongState } from "../../unit/refusals.js";
import type { Unit, UnitContext, World } from "../../unit/unit.js";
import { areChecksAll, contextAt } from "../../unit/unit.js";
import { checkNotCommitted } from "../plan/commit-claim.js";
import { checkBridges, checkNodeNotDrained } from "../running/node-checks.js";
import { runtimeInfo } from "../running/running.js";
import { namedInstance, nodeName, shownName } from "../state.js";
import { cleanUpMigration } from "./cleanup.js";
import { failOverInstance, failoverReservation, reservationDemands } from "./failing-over.js";
import type { Journey } from "./journey.js";
import { migrateInstance } from "./migration.js";
import {
  isTargetChosen,
  type RelocationOp,
  releaseOtherTargets,
  relocationLocks,
  relocationTarget,
} from "./target.js";

interface Op extends RelocationOp {
  readonly instance_name: string;
  readonly instance_uuid?: string | undefined;
  readonly dry_run?: boolean | undefined;
  /** Cleans up after an earlier migration. */
  readonly cleanup: boolean;
}

interface ByFailover {
  readonly way: "failover";
  readonly shutdownTimeoutSeconds: number;
  readonly ignoreConsistency: boolean;
}

interface ByMigration {
  readonly way: "migration";
  readonly mode: "live" | "non-live" | undefined;
  /** The older form of `mode`. */
  readonly live: boolean | undefined;
  /** Fails over an instance that cannot migrate. */
  readonly allowFailover: boolean;
  readonly allowRuntimeChanges: boolean;
  readonly ignoreVersions: boolean;
}

const defaultShutdownSeconds = 120;

/** @throws PrereqError, ExecError */
async function relocate(world: World, op: Op, wanted: ByFailover | ByMigration): Promise<void> {
  const now = world.config.snapshot;
  const context = contextAt(world, now);
  const instance = namedInstance(now, op);
  if (instance.forthcoming) return relocateReservation(context, op, instance);

  const way = wayOf(world, op, wanted, instance);
  const relocating = way.way === "failover" ? "failovers" : "migrations";
  const isChosen = isTargetChosen(now, instance, op);
  const journey = await whileRefused(isChosen, async (): Promise<Journey> => {
    const target = await relocationTarget(context, instance, op, relocating);
    const found = { instance, source: instance.primary_node, target };
    await checkTarget(context, op, way, found);
    return found;
  });
  const { target } = journey;
  if (isChosen) await releaseOtherTargets(context, instance, target);
  const found = { nodes: [target], variables: relocationVariables(now, instance, target) };
  if (op.cleanup) {
    if (way.way === "migration") modeOf(now, way, instance);
    if (await areChecksAll(world, op, found)) return;
    world.log(`Migrating instance ${instance.name}`);
    return cleanUpMigration(world, journey);
  }
  const last = await lastWay(context, way, instance);
  if (last.way === "failover") {
    if (!(await areChecksAll(world, op, found))) await failOverInstance(world, journey, last);
    return;
  }
  const mode = modeOf(now, last, instance);
  const running = valueOrRefuse(
    await runtimeInfo(context, instance),
    `Error checking instance on node ${nodeName(now, instance.primary_node)}`,
  );
  if (await areChecksAll(world, op, found)) return;
  const memoryMib = running?.memoryMib ?? 0;
  await withClaim(world, [memoryOf(now, journey, memoryMib)], async ([memoryMaxMib = 0]) => {
    world.log(`Migrating instance ${instance.name}`);
    const { allowRuntimeChanges, ignoreVersions } = last;
    const live = mode === "live";
    await migrateInstance(world, journey, {
      ...{ live, memoryMib, memoryMaxMib },
      ...{ allowRuntimeChanges, ignoreVersions },
    });
  });
}

/** Hook variables of a relocation: the nodes of a mirror swap roles. */
function relocationVariables(
  now: Snapshot,
  instance: InstanceObject,
  target: NodeUuid,
): HookVariables {
  const [secondary] = secondaryNodes(now, instance);
  const source = nodeName(now, instance.primary_node ?? "");
  return {
    OLD_PRIMARY: source,
    NEW_PRIMARY: nodeName(now, target),
    OLD_SECONDARY: secondary === undefined ? "" : nodeName(now, secondary),
    NEW_SECONDARY: secondary === undefined ? "" : source,
  };
}

/** A stopped instance cannot migrate. */
function wayOf(
  world: World,
  op: Op,
  wanted: ByFailover | ByMigration,
  { admin_state }: RealInstance,
): ByFailover | ByMigration {
  if (wanted.way === "failover" || op.cleanup) return wanted;
  if (admin_state === "up" || !wanted.allowFailover) return wanted;
  info(world, "Instance is marked down or offline, fallback allowed, switching to failover");
  return fallback;
}

const fallback: ByFailover = {
  way: "failover",
  shutdownTimeoutSeconds: defaultShutdownSeconds,
  ignoreConsistency: false,
};

async function checkTarget(
  context: UnitContext,
  op: Op,
  { way }: ByFailover | ByMigration,
  journey: Journey,
): Promise<void> {
  const { now } = context;
  const { instance, target } = journey;
  if (!op.cleanup && (way === "migration" || instance.admin_state === "up")) {
    await checkRoom(context, [memoryOf(now, journey)]);
  } else {
    info(context, "Not checking memory on the secondary node as instance will not be started");
  }
  const isForced = !op.cleanup && filledBeparams(now, instance).always_failover;
  if (isForced && way === "migration") {
    info(context, "Instance configured to always failover; fallback to failover");
  }
  // A cleanup may find that the instance continues at its source.
  const isGone = op.cleanup && now.node(target)?.offline === true;
  if (!isGone) await checkBridges(context, instance.nics, target);
  if (!op.cleanup) checkNodeNotDrained(now, target);
}

/** Memory required at the target, and the amount it would take if available. */
function memoryOf(now: Snapshot, { instance, target }: Journey, upToMib = 0): Demand {
  const { minmem: mib, vcpus } = filledBeparams(now, instance);
  const purpose = `migrating instance ${instance.name}`;
  return {
    node: target,
    memory: { mib, upToMib, hypervisor: instance.hypervisor, purpose },
    limited: { vcpus, spindleUse: 0, purpose },
  };
}

/**
 * The way after checking parameters and the run state: migration or failover. @throws PrereqError
 */
async function lastWay(
  context: UnitContext,
  way: ByFailover | ByMigration,
  instance: RealInstance,
): Promise<ByFailover | ByMigration> {
  if (way.way === "failover") return way;
  if (filledBeparams(context.now, instance).always_failover) return fallback;
  const answer = await ask(context, instance.primary_node, "instance_migratable", {
    instance: instanceOnNode(context.now, instance),
  });
  if (!answer.ok && way.allowFailover) {
    info(context, "Can't migrate, instance offline, fallback to failover");
    return fallback;
  }
  valueOrRefuse(answer, "Can't migrate, please use failover", "wrong_state");
  return way;
}

/** The requested migration mode, or the hypervisor's default. @throws PrereqError */
function modeOf(now: Snapshot, { mode, live }: ByMigration, instance: RealInstance): string {
  if (mode !== undefined && live !== undefined) {
    wrongInput("Only one of the 'live' and 'mode' parameters are accepted");
  }
  if (live !== undefined) return live ? "live" : "non-live";
  return mode ?? String(filledHvparams(now, instance).migration_mode);
}

/** @throws PrereqError if the reservation has no node yet, or the target has no room for it */
async function relocateReservation(
  context: UnitContext,
  op: Op,
  reserved: ForthcomingInstance,
): Promise<void> {
  const { now } = context;
  checkNotCommitted(context, reserved.uuid);
  const { primary_node: source } = reserved;
  if (source === undefined) wrongState(`Instance ${shownName(reserved)} has no nodes yet`);
  const placed: ForthcomingInstance & { readonly primary_node: NodeUuid } = {
    ...reserved,
    primary_node: source,
  };
  const target = await whileRefused(isTargetChosen(now, reserved, op), async () => {
    const chosen = await relocationTarget(context, placed, op, "failovers");
    checkNodeNotDrained(now, chosen);
    await checkRoom(context, reservationDemands(now, reserved, chosen));
    return chosen;
  });
  const found = { nodes: [target], variables: relocationVariables(now, reserved, target) };
  if (await areChecksAll(context, op, found)) return;
  await failoverReservation(context, reserved, target);
}

/** OP_INSTANCE_FAILOVER: stops an instance and starts it on another node that has its disks. */
export const failover: Unit<"OP_INSTANCE_FAILOVER"> = {
  opcode: "OP_INSTANCE_FAILOVER",
  hooks: {
    ...instanceHooks("instance-failover", {
      variables: (op) => ({
        IGNORE_CONSISTENCY: op.ignore_consistency,
        SHUTDOWN_TIMEOUT: op.shutdown_timeout,
        FAILOVER_CLEANUP: op.cleanup,
      }),
    }),
    /** The primary may be broken: its hooks run only afterwards. */
    nodes(op, now, { nodes = [] }) {
      const instance = namedInstance(now, op);
      const secondaries = secondaryNodes(now, instance);
      const { before } = onNodes(now.cluster.master_node, ...secondaries, ...nodes);
      return { before, after: onNodes(...before, instance.primary_node).after };
    },
  },

  locks: (op, now) => relocationLocks(op, now, namedInstance(now, op)),

  async run(op: OpcodeOf<"OP_INSTANCE_FAILOVER">, world: World) {
    await relocate(world, op, {
      way: "failover",
      shutdownTimeoutSeconds: op.shutdown_timeout,
      ignoreConsistency: op.ignore_consistency,
    });
    return null;
  },
};

/** OP_INSTANCE_MIGRATE: moves a running instance to another node that has its disks. */
export const migrate: Unit<"OP_INSTANCE_MIGRATE"> = {
  opcode: "OP_INSTANCE_MIGRATE",
  hooks: instanceHooks("instance-migrate", {
    variables: (op) => ({
      MIGRATE_LIVE: op.live ?? null,
      MIGRATE_CLEANUP: op.cleanup,
      ALLOW_RUNTIME_CHANGES: op.allow_runtime_changes,
    }),
    nodes: (_, now, instance, { nodes = [] }) => [...nodesOfInstance(now, instance), ...nodes],
  }),

  locks: (op, now) => relocationLocks(op, now, namedInstance(now, op)),

  async run(op, world) {
    await relocate(world, op, {
      way: "migration",
      mode: op.mode,
      live: op.live,
      allowFailover: op.allow_failover,
      allowRuntimeChanges: op.allow_runtime_changes,
      ignoreVersions: op.ignore_hvversions,
    });
    return null;
  },
};

/** OP_INSTANCE_RENAME: renames a stopped instance or a reservation. */

import type { ConfigChange, Snapshot } from "@ganeti-ts/config";
import { diskOnNode, instanceOnNode, put, realDisksOf, secondaryNodes } from "@ganeti-ts/config";
import { lockName } from "@ganeti-ts/locking";
import type {
  Claim,
  DiskObject,
  InstanceObject,
  OpcodeOf,
  RealDisk,
  RealInstance,
} from "@ganeti-ts/protocol";
import { putting } from "../../capacity/claim.js";
import { abandoningOnFailure, giveUpClaims } from "../../capacity/with-claims.js";
import { instanceHooks } from "../../hooks/instance-hooks.js";
import { ask, valueOrFail, warn } from "../../unit/effects.js";
import { asExclusive, instanceLock } from "../../unit/locks.js";
import { wrongInput } from "../../unit/refusals.js";
import type { Unit, UnitContext, World } from "../../unit/unit.js";
import { areChecksAll, contextAt } from "../../unit/unit.js";
import { deviceInfo } from "../disks/creation.js";
import { checkFilesInPlace, claimOfMove, isInFolder } from "../disks/moved-files.js";
import { checkNotCommitted } from "../plan/commit-claim.js";
import { checkAddressFree, checkNameFree, resolvedHostname } from "../plan/names.js";
import { directoryOf } from "../plan/places.js";
import { shutdownDisks, startDisks } from "../running/activation.js";
import { checkNodeOnline } from "../running/node-checks.js";
import { checkInstanceState } from "../running/running.js";
import { namedInstance, nodeName, notRunning } from "../state.js";

export const rename: Unit<"OP_INSTANCE_RENAME"> = {
  opcode: "OP_INSTANCE_RENAME",
  hooks: instanceHooks("instance-rename"),

  /** Locks both names; the new one as given, because it may not be resolved yet. */
  locks(op, now) {
    if (op.ip_check && !op.name_check) wrongInput("IP address check requires a name check");
    const instance = namedInstance(now, op);
    checkNameFree(now, op.new_name, instance.uuid);
    return asExclusive(instanceLock(instance), lockName("instance", op.new_name));
  },

  /** Result: the new name. */
  async run(op, world) {
    const now = world.config.snapshot;
    const instance = namedInstance(now, op);
    const newName = await resolvedName(world, op);
    checkTemplates(now, instance, newName);
    if (!instance.forthcoming) {
      checkNodeOnline(now, instance.primary_node);
      await checkInstanceState(contextAt(world, now), instance, notRunning, "cannot rename");
    }
    checkNameFree(now, newName, instance.uuid);
    if (await areChecksAll(world, op, { variables: { INSTANCE_NEW_NAME: newName } })) return null;

    const { snapshot, value: claims } = await world.config.change((latest) => {
      checkNameFree(latest, newName, instance.uuid);
      checkNotCommitted(contextAt(world, latest), instance.uuid);
      const before = latest.instance(instance.uuid);
      const changes = renaming(latest, before, newName);
      const held = claimsOnFiles(contextAt(world, latest), before, changes);
      return { changes: [...changes, ...held.map(putting)], value: held };
    }, world);
    const renamed = snapshot.instance(instance.uuid);
    if (renamed !== undefined && !renamed.forthcoming && !instance.forthcoming) {
      await abandoningOnFailure(world, claims, () =>
        renameFolder(contextAt(world, snapshot), now, instance, renamed),
      );
      await giveUpClaims(world, claims);
      await renameOnNodes(contextAt(world, snapshot), instance.name, renamed, op.debug_level);
    }
    return newName;
  },
};

async function resolvedName(world: World, op: OpcodeOf<"OP_INSTANCE_RENAME">): Promise<string> {
  if (!op.name_check) return op.new_name;
  const { name, ip } = await resolvedHostname(world, op.new_name);
  if (op.ip_check) await checkAddressFree(world, ip, name);
  return name;
}

/** Moving the files needs an enabled template. */
function checkTemplates(now: Snapshot, instance: InstanceObject, newName: string): void {
  if (newName === instance.name) return;
  const enabled: readonly string[] = now.cluster.enabled_disk_templates;
  for (const { dev_type: type = "" } of now.disksOf(instance).filter(isInFolder)) {
    if (enabled.includes(type)) continue;
    wrongInput(
      `Disk template '${type}' is not enabled in cluster. Enabled disk templates are: ${enabled.join(",")}`,
    );
  }
}

/** Changes for disks in files, whose paths contain the name. */
function renaming(
  now: Snapshot,
  instance: InstanceObject | undefined,
  newName: string,
): readonly ConfigChange[] {
  if (instance === undefined) return [];
  const disks = now.disksOf(instance).flatMap((disk): ConfigChange[] => {
    if (!isInFolder(disk) || disk.logical_id === undefined) return [];
    const parts = String(disk.logical_id[1]).split("/");
    const path = [...parts.slice(0, -2), newName, parts.at(-1)].join("/");
    const object = { ...disk, logical_id: [disk.logical_id[0] ?? "loop", path] } as DiskObject;
    return [put("disk", object)];
  });
  return [...disks, put("instance", { ...instance, name: newName })];
}

/**
 * Claims on the files under their present paths, which the changes replace. @throws PrereqError
 * `temp_insufficient_resources`
 */
function claimsOnFiles(
  context: UnitContext,
  instance: InstanceObject | undefined,
  changes: readonly ConfigChange[],
): readonly Claim[] {
  if (instance === undefined || instance.forthcoming) return [];
  const files = realDisksOf(context.now, instance).filter(isInFolder);
  const renamed = changes.flatMap((change) =>
    change.kind === "put" && change.type === "disk" ? (change.object as RealDisk) : [],
  );
  checkFilesInPlace(context.now, files, [...files, ...renamed].map(directoryOf));
  return files.length === 0 ? [] : [claimOfMove(context, instance.primary_node, files)];
}

async function renameFolder(
  context: UnitContext,
  before: Snapshot,
  old: RealInstance,
  renamed: RealInstance,
): Promise<void> {
  const { now } = context;
  const { primary_node: primary, name } = renamed;
  const [moved] = realDisksOf(before, old).filter(isInFolder);
  const [file] = realDisksOf(now, renamed).filter(isInFolder);
  if (moved === undefined || file === undefined || old.name === name) return;
  const [from, to] = [directoryOf(moved), directoryOf(file)];
  valueOrFail(
    await ask(context, primary, "file_storage_dir_rename", { from, to }),
    `Could not rename on node ${nodeName(now, primary)} directory '${from}' to '${to}'` +
      " (but the instance has been renamed in Ganeti)",
  );
}

async function renameOnNodes(
  context: UnitContext,
  oldName: string,
  renamed: RealInstance,
  debugLevel: number,
): Promise<void> {
  const { now } = context;
  const { primary_node: primary, name } = renamed;
  const where = nodeName(now, primary);
  await startDisks(context, renamed, null);
  for (const [index, disk] of realDisksOf(now, renamed).entries()) {
    for (const node of [primary, ...secondaryNodes(now, renamed)]) {
      const answer = await ask(context, node, "blockdev_setinfo", {
        disk: diskOnNode(now, renamed, disk),
        info: deviceInfo(name),
      });
      if (answer.ok) continue;
      warn(
        context,
        `Error setting info on node ${nodeName(now, node)} for disk ${index}: ${answer.message}`,
      );
    }
  }
  try {
    const answer = await ask(context, primary, "instance_run_rename", {
      instance: instanceOnNode(now, renamed),
      oldName,
      debugLevel,
    });
    if (!answer.ok) {
      warn(
        context,
        `Could not run OS rename script for instance ${name} on node ${where}` +
          ` (but the instance has been renamed in Ganeti): ${answer.message}`,
      );
    }
  } finally {
    await shutdownDisks(context, renamed);
  }
}

/** Checks of a cluster modification: arguments, volume group, DRBD helper and file storage. */

import { instanceLabel } from "@ganeti-ts/cluster-queries";
import { checkUidPool, diskTemplate, type Snapshot } from "@ganeti-ts/config";
import { PrereqError, refusalWithoutCode } from "@ganeti-ts/job-queue";
import { isForbiddenStorage } from "@ganeti-ts/node-calls";
import { type DiskObject, type OpcodeOf, usesLvm } from "@ganeti-ts/protocol";
import { ask, info, warn } from "../unit/effects.js";
import { wrongInput, wrongState } from "../unit/refusals.js";
import type { UnitContext, World } from "../unit/unit.js";
import { checkReservedVolumes } from "./volumes.js";

type Op = OpcodeOf<"OP_CLUSTER_SET_PARAMS">;

const volumeGroupMinMib = 20_480;

/** @throws PrereqError, ConfigError for arguments that are wrong in any state of the cluster */
export function checkArguments(op: Op): void {
  for (const pool of [op.uid_pool, op.add_uids, op.remove_uids]) checkUidPool(pool ?? []);
  checkImage(op.install_image, "Install image must be an absolute path or a URL");
  checkImage(op.zeroing_image, "Zeroing image must be an absolute path or a URL");
  if (op.compression_tools !== undefined) checkTools(op.compression_tools);
  checkReservedVolumes(op.reserved_lvs ?? []);
}

function checkImage(image: string | undefined, text: string): void {
  if (image === undefined || image.startsWith("/") || /^[a-z][a-z0-9+.-]*:\/\//i.test(image)) {
    return;
  }
  // Ganeti's error has no code here.
  throw refusalWithoutCode(text);
}

function checkTools(tools: readonly string[]): void {
  const illegal = tools.filter((tool) => !/^[-_a-zA-Z0-9]+$/.test(tool));
  if (illegal.length > 0) {
    wrongInput(
      `The tools '${illegal.join(", ")}' contain illegal characters: only alphanumeric values,` +
        " dashes, and underscores are allowed",
    );
  }
  if (!tools.includes("gzip")) {
    wrongInput(
      "For compatibility reasons, the gzip utility must be present among the compression tools",
    );
  }
  if (tools.includes("none")) {
    wrongInput(
      "none is a reserved value used for no compression, and cannot be used as the name of a tool",
    );
  }
}

/** @throws PrereqError */
export async function checkStorage(context: UnitContext, op: Op): Promise<void> {
  const before: readonly string[] = context.now.cluster.enabled_disk_templates;
  const enabled: readonly string[] = op.enabled_disk_templates?.length
    ? op.enabled_disk_templates
    : before;
  for (const template of before)
    if (!enabled.includes(template)) checkUnused(context.now, template);
  await checkVolumeGroup(context, op, enabled);
  checkDirectory(op.file_storage_dir, "file", enabled, context);
  checkDirectory(op.shared_file_storage_dir, "sharedfile", enabled, context);
  checkDirectory(op.gluster_storage_dir, "gluster", enabled, context);
  await checkDrbdHelper(context, op, enabled);
  if (op.diskparams?.drbd === undefined) return;
  for (const text of [
    "Changing DRBD parameters only affects devices created in the future, not existing ones",
    "You need to shutdown and start (not reboot!) existing instances to adopt the changes",
    "Alternatively you can swap the secondary node by running `gnt-instance replace-disks --new-secondary $instance`",
  ]) {
    warn(context, text);
  }
}

/** No instance may use the template that gets disabled. */
function checkUnused(now: Snapshot, template: string): void {
  const disks = disksOfType(now, template).map((disk) => {
    const owner = now.instanceOfDisk(disk.uuid);
    const where = owner === undefined ? "detached" : `on ${instanceLabel(owner)}`;
    return `${disk.name ?? disk.uuid} (${where})`;
  });
  if (disks.length > 0) {
    wrongState(
      `Cannot disable disk template '${template}', because there is at least one disk using it:\n * ${disks.join("\n * ")}`,
    );
  }
  if (template !== "diskless") return;
  const bare = Array.from(now.instances()).find((one) => diskTemplate(now, one) === "diskless");
  if (bare === undefined) return;
  wrongState(
    `Cannot disable disk template 'diskless', because there is at least one instance using it:\n * ${instanceLabel(bare)}`,
  );
}

const disksOfType = (now: Snapshot, type: string): readonly DiskObject[] =>
  Array.from(now.disks()).filter(({ dev_type }) => dev_type === type);

async function checkVolumeGroup(
  context: UnitContext,
  op: Op,
  enabled: readonly string[],
): Promise<void> {
  const { now } = context;
  const current = now.cluster.volume_group_name;
  const isUsed = enabled.some(usesLvm);
  if (op.vg_name === "" && isUsed) {
    wrongInput("Cannot unset volume group if lvm-based disk templates are or get enabled.");
  }
  if (op.vg_name === undefined && current === undefined && isUsed) {
    wrongInput("Please specify a volume group when enabling lvm-based disk-templates.");
  }
  if (op.vg_name === "" && disksOfType(now, "plain").length > 0) {
    wrongInput("Cannot disable lvm storage while lvm-based instances exist");
  }
  const getsUsed = isUsed && !now.cluster.enabled_disk_templates.some(usesLvm);
  const name = op.vg_name || current;
  if (name === undefined || !((op.vg_name && isUsed) || (current !== undefined && getsUsed)))
    return;
  for (const { uuid, name: node, vm_capable } of now.nodes()) {
    if (!vm_capable) continue;
    const answer = await ask(context, uuid, "vg_list", {});
    if (!answer.ok) {
      warn(
        context,
        `Error while gathering data on node ${node} (ignoring node): ${answer.message}`,
      );
      continue;
    }
    const size = answer.value[name];
    const fault =
      size === undefined
        ? `volume group '${name}' missing`
        : size < volumeGroupMinMib
          ? `volume group '${name}' too small (${volumeGroupMinMib} MiB required, ${size} MiB found)`
          : undefined;
    if (fault !== undefined) {
      throw new PrereqError("environment_error", `Error on node '${node}': ${fault}`);
    }
  }
}

function checkDirectory(
  directory: string | undefined,
  template: string,
  enabled: readonly string[],
  world: World,
): void {
  if (directory === undefined) return;
  if (isForbiddenStorage(directory)) {
    wrongInput(`The ${template} storage directory must not be a system directory: ${directory}`);
  }
  if (directory === "" && enabled.includes(template)) {
    wrongInput(
      `Unsetting the '${template}' storage directory while having '${template}' storage enabled is not permitted.`,
    );
  }
  if (directory !== "" && !enabled.includes(template)) {
    warn(
      world,
      `Specified a ${template} storage directory, although ${template} storage is not enabled.`,
    );
  }
}

async function checkDrbdHelper(
  context: UnitContext,
  op: Op,
  enabled: readonly string[],
): Promise<void> {
  const { now } = context;
  const isUsed = enabled.includes("drbd");
  if (op.drbd_helper === "") {
    if (isUsed) wrongState("Cannot disable drbd helper while DRBD is enabled.");
    if (disksOfType(now, "drbd").length > 0) {
      wrongInput("Cannot disable drbd helper while drbd-based instances exist");
    }
    return;
  }
  const getsUsed = isUsed && !now.cluster.enabled_disk_templates.includes("drbd");
  if (!isUsed || (op.drbd_helper === undefined && !getsUsed)) return;
  const helper = op.drbd_helper ?? now.cluster.drbd_usermode_helper;
  if (helper === undefined) wrongState("Cannot enable DRBD without a DRBD usermode helper set.");
  for (const { uuid, name, offline, vm_capable } of now.nodes()) {
    if (!vm_capable) continue;
    if (offline) {
      info(context, `Not checking drbd helper on offline node ${name}`);
      continue;
    }
    const answer = await ask(context, uuid, "drbd_helper", {});
    const fault = answer.ok
      ? `Error on node '${name}': drbd helper is ${answer.value}`
      : `Error checking drbd helper on node '${name}': ${answer.message}`;
    if (!answer.ok || answer.value !== helper) throw new PrereqError("environment_error", fault);
  }
}

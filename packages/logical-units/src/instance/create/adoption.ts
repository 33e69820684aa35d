/** Existing volumes and devices that become the disks of a new instance. */

import type { Snapshot } from "@ganeti-ts/config";
import { PrereqError } from "@ganeti-ts/job-queue";
import { ask, valueOrRefuse } from "../../unit/effects.js";
import { wrongInput, wrongState } from "../../unit/refusals.js";
import type { UnitContext } from "../../unit/unit.js";
import type { PlannedDisk } from "../plan/disks.js";
import { nodeName } from "../state.js";
import type { InstancePlan } from "./reservation.js";

/** Only device files below this folder can be adopted. */
const deviceRoot = "/dev/disk/";

/** The plan with the sizes of the adopted volumes. @throws PrereqError */
export async function withAdoptedDisks(
  context: UnitContext,
  plan: InstancePlan,
): Promise<InstancePlan> {
  const sizes =
    plan.template === "plain" ? await volumeSizes(context, plan) : await deviceSizes(context, plan);
  const sized = (disk: PlannedDisk) => ({ ...disk, size: sizes.get(keyOf(plan, disk)) ?? 0 });
  return { ...plan, disks: plan.disks.map(sized) };
}

const keyOf = ({ template }: InstancePlan, { vg, adopt }: PlannedDisk): string =>
  template === "plain" ? `${vg}/${adopt}` : (adopt ?? "");

async function volumeSizes(context: UnitContext, plan: InstancePlan) {
  const wanted = new Set(plan.disks.map((disk) => keyOf(plan, disk)));
  if (wanted.size !== plan.disks.length) wrongInput("Duplicate volume names given for adoption");
  for (const name of wanted) {
    if (!isUsed(context.now, plan, name)) continue;
    const text = `LV named ${name} used by another instance`;
    throw new PrereqError("resource_not_unique", text);
  }
  const node = plan.primary ?? "";
  const where = `from node ${nodeName(context.now, node)}`;
  const groups = valueOrRefuse(
    await ask(context, node, "vg_list", {}),
    `Cannot get VG information ${where}`,
  );
  const volumes = valueOrRefuse(
    await ask(context, node, "lv_list", { volumeGroups: Object.keys(groups) }),
    `Cannot get LV information ${where}`,
  );
  const found = new Map(volumes.map((one) => [`${one.volumeGroup}/${one.name}`, one]));
  const missing = [...wanted].filter((name) => !found.has(name));
  if (missing.length > 0) wrongInput(`Missing logical volume(s): ${missing.join(", ")}`);
  const open = [...wanted].filter((name) => found.get(name)?.open);
  if (open.length > 0) wrongState(`Online logical volumes found, cannot adopt: ${open.join(", ")}`);
  return new Map([...found].map(([name, { sizeMib }]) => [name, sizeMib]));
}

/** Whether a disk or a claim has the volume on that node. O(log n). */
const isUsed = (now: Snapshot, { primary }: InstancePlan, name: string): boolean =>
  primary !== undefined && now.keysOf("lv", primary, name).length > 0;

async function deviceSizes(context: UnitContext, plan: InstancePlan) {
  const wanted = new Set(plan.disks.map((disk) => keyOf(plan, disk)));
  if (wanted.size !== plan.disks.length) wrongInput("Duplicate disk names given for adoption");
  const outside = [...wanted].filter((path) => !path.startsWith(deviceRoot));
  if (outside.length > 0) {
    wrongInput(
      `Device node(s) ${outside.join(", ")} lie outside ${deviceRoot} and cannot be adopted`,
    );
  }
  const node = plan.primary ?? "";
  const sizes = valueOrRefuse(
    await ask(context, node, "bdev_sizes", { paths: [...wanted] }),
    `Cannot get block device information from node ${nodeName(context.now, node)}`,
  );
  const missing = [...wanted].filter((path) => sizes[path] === undefined);
  if (missing.length > 0) wrongInput(`Missing block device(s): ${missing.join(", ")}`);
  return new Map(Object.entries(sizes));
}

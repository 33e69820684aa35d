/** Creation and growth of logical volumes. */
import type { NodeContext } from "../../context.js";
import { NodeFailure } from "../../failure.js";
import { type Finished, outputOf, succeeded } from "../../machine/runner.js";
import type { Creation, Growth } from "../disk-type.js";
import { linesOf, ran, reasonThenOutput, runOrFail } from "../programs.js";
import {
  checkRoomToGrow,
  notEnough,
  spindlesFor,
  standardSizeMib,
  warnOfSizes,
} from "./exclusive-storage.js";
import { physicalVolumes } from "./space.js";
import type { VolumeName } from "./volume-name.js";
import type { Volume } from "./volume-table.js";

type Ports = Pick<NodeContext, "run" | "log">;

interface Wanted extends Pick<Creation, "sizeMib" | "exclusiveStorage"> {
  readonly stripes: number;
  readonly spindles: number | null | undefined;
}

/** Creates the volume with as many stripes as possible, at most `stripes`. */
export async function createVolume(ports: Ports, of: VolumeName, wanted: Wanted): Promise<void> {
  const { sizeMib } = wanted;
  const { names, stripes } = await placeFor(ports, of.group, wanted);
  let last: Finished | undefined;
  for (let count = stripes; count > 0; count--) {
    const options = ["-Wn", `-L${sizeMib}m`, `-n${of.name}`, `-i${count}`];
    last = await ran(ports.run, ["lvcreate", ...options, of.group, ...names]);
    if (succeeded(last)) return;
  }
  if (last !== undefined) throw new NodeFailure(`LV create failed ${reasonThenOutput(last)}`);
}

/** Physical volumes for a new volume, those with the most free space first. */
async function placeFor(
  ports: Ports,
  group: string,
  { sizeMib, exclusiveStorage, stripes, spindles }: Wanted,
): Promise<{ readonly names: readonly string[]; readonly stripes: number }> {
  const found = await physicalVolumes(ports, [group]);
  if (found === null || found.length === 0) {
    throw new NodeFailure(
      exclusiveStorage ? "No (empty) PVs found" : `Can't compute PV info for vg ${group}`,
    );
  }
  if (found.some(({ name }) => name.includes(":"))) {
    throw new NodeFailure(
      "Some of your PVs have the invalid character ':' in their name, this is not supported - please filter them out in lvm.conf using either 'filter' or 'preferred_names'",
    );
  }
  const sorted = found.toSorted((a, b) => b.freeMib - a.freeMib);
  if (exclusiveStorage) {
    warnOfSizes(sorted, ports.log);
    const names = spindlesFor({ spindles }, sizeMib, sorted).map(({ name }) => name);
    return { names, stripes: names.length };
  }
  const free = sorted.reduce((sum, { freeMib }) => sum + freeMib, 0);
  if (free < sizeMib) throw notEnough(sizeMib, free);
  if (sorted.length < stripes) {
    ports.log.warn(`${stripes} stripes requested, but ${group} has ${sorted.length} PVs`);
  }
  const names = sorted.map(({ name }) => name);
  return { names, stripes: Math.min(stripes, names.length) };
}

/** Size (MiB) of an existing volume, as reported by LVM. */
export async function listedSizeMib({ run }: Ports, of: VolumeName): Promise<number> {
  const options = ["--noheadings", "--units=m", "--nosuffix", "-olv_size", of.path];
  const ended = await runOrFail(
    run,
    ["lvs", ...options],
    `Can't get the size of ${of.path} `,
    reasonThenOutput,
  );
  return Number(linesOf(ended.stdout)[0]);
}

const policies = ["contiguous", "cling", "normal"];

/**
 * Grows the volume to the disk's size plus the amount, rounded up to whole extents of all stripes, with the first allocation
 * policy that works. A volume that has this size already is left alone: an earlier call has grown it.
 */
export async function growVolume(
  { run, log }: Ports,
  of: VolumeName,
  volume: Volume,
  { amountMib, dryRun, exclusiveStorage, sizeMib }: Growth & { readonly sizeMib: number },
): Promise<void> {
  const { group, path } = of;
  const presentMib = await listedSizeMib({ run, log }, of);
  if (Number.isNaN(presentMib)) throw new NodeFailure(`lvs lists no size of ${path}`);
  const missingMib = sizeMib + amountMib - presentMib;
  if (missingMib <= 0) return;
  const step = volume.extentKib * volume.stripes;
  const amountKib = Math.ceil((missingMib * 1024) / step) * step;
  let places: readonly string[] = [];
  if (exclusiveStorage) {
    const found = await physicalVolumes({ run, log }, [group], { onlyAllocatable: false });
    if (found === null || found.length === 0) {
      throw new NodeFailure(`Can't compute PV info for vg ${group}`);
    }
    const own = found.filter(({ name }) => volume.physicalVolumes.includes(name));
    log.debug(`${path} of ${sizeMib} MiB lies on ${own.length} spindles`);
    checkRoomToGrow(path, amountKib / 1024, own, standardSizeMib(found));
    places = volume.physicalVolumes;
  }
  let last: Finished | undefined;
  for (const policy of policies) {
    const test = dryRun ? ["--test"] : [];
    const words = ["-L", `+${amountKib}k`, ...test, "--alloc", policy, path, ...places];
    last = await ran(run, ["lvextend", ...words]);
    if (succeeded(last)) return;
  }
  if (last !== undefined) throw new NodeFailure(`Can't grow LV ${path}: ${outputOf(last)}`);
}

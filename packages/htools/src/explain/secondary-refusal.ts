/** Refusals of a node as the secondary: the checks of `secondaryMisfit`, in order, with their numbers. */
import { isMirrored, type Refusal } from "@ganeti-ts/protocol";
import { memoryReservedFor } from "../fit/fitting.js";
import { failDisk } from "../fit/misfit.js";
import type { Cluster } from "../model/cluster.js";
import type { Instance } from "../model/instance.js";
import { field } from "../model/node-columns.js";
import { type PeerMap, peerMemory } from "../model/peer-map.js";
import {
  diskRefusal,
  lowDiskRefusal,
  memoryRefusal,
  reservedRefusal,
  spindlesRefusal,
  spindleUseRefusal,
} from "./primary-refusal.js";
import { nodeName, refusal, type Spot } from "./refusal.js";

/** Checks to skip: the soft ones, and the one for enough disk. */
interface Leniency {
  readonly force: boolean;
  readonly ignoreDisk?: boolean;
}

/** @param primary -1: a node that shares no instance with the secondary */
export function secondaryRefusal(
  cluster: Cluster,
  instance: Instance,
  node: number,
  primary: number,
  { force, ignoreDisk = false }: Leniency,
): Refusal | undefined {
  const spot: Spot = { cluster, node, role: "secondary" };
  const real = instance.forthcoming
    ? undefined
    : realRefusal(spot, instance, primary, force, ignoreDisk);
  return real ?? (force ? undefined : plannedRefusal(spot, instance));
}

function realRefusal(
  spot: Spot,
  instance: Instance,
  primary: number,
  force: boolean,
  ignoreDisk: boolean,
): Refusal | undefined {
  const { cluster, node } = spot;
  const unmirrored = templateRefusal(spot, instance);
  if (unmirrored) return unmirrored;
  const { diskMib } = instance;
  const disk = cluster.get(node, field.diskFree);
  if (!ignoreDisk && disk - diskMib <= 0) return diskRefusal(spot, diskMib, disk, {});
  const low = force ? undefined : lowDiskRefusal(spot, diskMib, disk, { soft: true });
  if (low) return low;
  const spindles = spindlesRefusal(spot, instance, field.spindlesFree, {});
  if (spindles || force) return spindles;
  const use = spindleUseRefusal(spot, instance, field.spindlesUsed, {});
  if (use) return use;
  const free = cluster.get(node, field.memoryUnallocated);
  const needed = memoryReservedFor(instance);
  if (needed >= free) return memoryRefusal(spot, needed, free, { soft: true });
  const known = peerMemory(cluster.peers[node] as PeerMap, primary);
  const worst = cluster.get(node, field.memoryReserved);
  if (free > Math.max(worst, known + needed) || cluster.get(node, field.failsN1) === 1) {
    return undefined;
  }
  if (known + needed < worst) return reservedRefusal(spot, 0, worst, free);
  return peerRefusal(spot, needed, known, nodeName(cluster, primary), free);
}

/** The failure of the primary would need more memory than is available. */
function peerRefusal(spot: Spot, needed: number, known: number, peer: string, free: number) {
  const found = reservedRefusal(spot, 0, needed + known, free);
  const words = `needs ${needed} MiB beside ${known} MiB reserved for the failure of ${peer}, ${free} MiB free`;
  const full = needed + known === free ? ", and some must stay free" : "";
  return { ...found, text: `${found.node}: ${found.rule}, ${words}${full}` };
}

function plannedRefusal(spot: Spot, instance: Instance): Refusal | undefined {
  const { cluster, node } = spot;
  const planned = { soft: true, planned: true };
  const unmirrored = templateRefusal(spot, instance);
  if (unmirrored) return unmirrored;
  const { diskMib } = instance;
  const disk = cluster.get(node, field.diskFreePlanned);
  if (disk - diskMib <= 0) return diskRefusal(spot, diskMib, disk, planned);
  const spindles =
    lowDiskRefusal(spot, diskMib, disk, planned) ??
    spindlesRefusal(spot, instance, field.spindlesFreePlanned, planned) ??
    spindleUseRefusal(spot, instance, field.spindlesUsedPlanned, planned);
  if (spindles) return spindles;
  const free = cluster.get(node, field.memoryFreePlanned);
  const needed = memoryReservedFor(instance);
  return needed >= free ? memoryRefusal(spot, needed, free, planned) : undefined;
}

function templateRefusal(spot: Spot, { data }: Instance): Refusal | undefined {
  const { diskTemplate } = data;
  if (isMirrored(diskTemplate)) return undefined;
  return refusal(spot, {
    rule: failDisk,
    check: "template",
    words: `disk template ${diskTemplate} has no secondary, only drbd has`,
  });
}

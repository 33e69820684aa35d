/** Space of physical volumes and volume groups. */
import type { NodeContext } from "../../context.js";
import { NodeFailure } from "../../failure.js";
import { succeeded } from "../../machine/runner.js";
import { linesOf, ran, reasonAndOutput } from "../programs.js";

type Ports = Pick<NodeContext, "run" | "log">;

export interface PhysicalVolumeSpace {
  readonly name: string;
  readonly group: string;
  readonly freeMib: number;
  /** `a--`; see `isAllocatable`. */
  readonly attributes: string;
  readonly sizeMib: number;
  /** Names of the logical volumes on it, sorted; empty unless requested. */
  readonly volumes: readonly string[];
}

/** Whether new volumes may be placed on it: attributes `a--`. `u--` is closed for new volumes, and `a-m` has no device. */
export const isAllocatable = (attributes: string): boolean =>
  attributes.startsWith("a") && attributes[2] !== "m";

const listing = ["--noheadings", "--nosuffix", "--units=m", "--unbuffered", "--separator=|"];

/** Physical volumes of `groups`; null if they cannot be listed. */
export async function physicalVolumes(
  { run, log }: Ports,
  groups: readonly string[],
  { onlyAllocatable = true, withVolumes = false } = {},
): Promise<readonly PhysicalVolumeSpace[] | null> {
  const fields = `pv_name,vg_name,pv_free,pv_attr,pv_size,${withVolumes ? "lv_name" : "pv_name"}`;
  const ended = await ran(run, ["pvs", ...listing, `-o${fields}`]);
  if (!succeeded(ended)) {
    log.error(`Can't get the volume information: ${reasonAndOutput(ended)}`);
    return null;
  }
  const byName = new Map<string, PhysicalVolumeSpace>();
  for (const line of linesOf(ended.stdout)) {
    const columns = columnsOf(line, 6, "pvs");
    const [name = "", group = "", free, attributes = "", size, volume = ""] = columns;
    if (onlyAllocatable && !isAllocatable(attributes)) continue;
    if (!groups.includes(group)) continue;
    const known = byName.get(name)?.volumes ?? [];
    const volumes = withVolumes && volume !== "" ? [...known, volume] : known;
    byName.set(name, {
      ...{ name, group, attributes, freeMib: Number(free), sizeMib: Number(size) },
      volumes: [...new Set(volumes)].sort(),
    });
  }
  return [...byName.values()];
}

export interface GroupSpace {
  readonly name: string;
  readonly freeMib: number;
  readonly sizeMib: number;
  /** A device of the group is missing; LVM refuses new volumes until the group has been repaired. */
  readonly isPartial: boolean;
}

/** A writable volume group; null if there is none of that name. */
export async function groupSpace({ run, log }: Ports, name: string): Promise<GroupSpace | null> {
  const ended = await ran(run, ["vgs", ...listing, "-ovg_name,vg_free,vg_attr,vg_size"]);
  if (!succeeded(ended)) {
    log.error(`Can't get the volume information: ${reasonAndOutput(ended)}`);
    return null;
  }
  for (const line of linesOf(ended.stdout)) {
    const [group = "", free, attributes = "", size] = columnsOf(line, 4, "vgs");
    if (group !== name || attributes.startsWith("r")) continue;
    const isPartial = attributes[3] === "p";
    return { name, freeMib: Number(free), sizeMib: Number(size), isPartial };
  }
  return null;
}

function columnsOf(line: string, count: number, program: string): readonly string[] {
  const columns = line.split("|");
  if (columns.length !== count) {
    throw new NodeFailure(`Can't parse ${program} output: line '${line}'`);
  }
  return columns;
}

/** VolumeTable: all logical volumes of the node. */
import type { NodeContext } from "../../context.js";
import { NodeFailure } from "../../failure.js";
import { succeeded } from "../../machine/runner.js";
import { linesOf, ran, reasonAndOutput } from "../programs.js";

/** Entry of the table. */
export interface Volume {
  /** `-wi-ao----`: the first letter is the type, the fifth the state, the sixth shows whether the volume is open. */
  readonly attributes: string;
  /** -1 if the volume is not active. */
  readonly major: number;
  readonly minor: number;
  readonly extentKib: number;
  readonly stripes: number;
  /** Paths of the physical volumes it uses, without duplicates. */
  readonly physicalVolumes: readonly string[];
}

export interface VolumeTable {
  /** Null for a volume that does not exist. */
  volume(path: string): Promise<Volume | null>;
  /** Invalidates the table; called after each change of a volume. */
  forget(): void;
}

type Ports = Pick<NodeContext, "run" | "log">;

/** A table that is read once, and again after `forget`. It is valid for one request only, because other requests change volumes. */
export function requestVolumes(ports: Ports): VolumeTable {
  let table: Promise<Table> | undefined;
  return {
    async volume(path) {
      table ??= readVolumes(ports);
      const reading = table;
      try {
        return volumeIn(await reading, path);
      } catch (error) {
        // After a failure the next access reads the table again.
        if (table === reading) table = undefined;
        throw error;
      }
    },
    forget() {
      table = undefined;
    },
  };
}

/** A table that is read at each access, for callers that outlive one request. */
export const currentVolumes = (ports: Ports): VolumeTable => ({
  volume: async (path) => volumeIn(await readVolumes(ports), path),
  forget: () => {},
});

const fields = [
  ...["vg_name", "lv_name", "lv_attr", "lv_kernel_major", "lv_kernel_minor", "vg_extent_size"],
  ...["stripes", "devices"],
].join(",");

interface Table {
  readonly volumes: ReadonlyMap<string, Volume>;
  /** Text of the failure of `lvs`, which may have listed some volumes nevertheless. */
  readonly fault: string | null;
}

/**
 * A volume that is not in an incomplete table may exist nevertheless. If it counted as missing, its removal would be
 * reported as done, and its creation would be attempted again.
 */
function volumeIn({ volumes, fault }: Table, path: string): Volume | null {
  const volume = volumes.get(path);
  if (volume !== undefined) return volume;
  if (fault !== null) throw new NodeFailure(`Can't look for ${path}: ${fault}`);
  return null;
}

/** The volumes that `lvs` lists, by path; a failure of `lvs` is logged. */
export const allVolumes = async (ports: Ports): Promise<ReadonlyMap<string, Volume>> =>
  (await readVolumes(ports)).volumes;

async function readVolumes({ run, log }: Ports): Promise<Table> {
  const options = ["--noheadings", "--separator=|", "--units=k", "--nosuffix", `-o${fields}`];
  const ended = await ran(run, ["lvs", ...options]);
  const fault = succeeded(ended) ? null : `lvs failed: ${reasonAndOutput(ended)}`;
  if (fault !== null) log.warn(fault);
  const volumes = new Map<string, Volume>();
  for (const line of linesOf(ended.stdout)) {
    const { path, ...volume } = volumeOfLine(line);
    const known = volumes.get(path);
    // A volume has a line for each of its segments.
    volumes.set(path, known === undefined ? volume : withSegment(known, volume));
  }
  return { volumes, fault };
}

const withSegment = (known: Volume, segment: Volume): Volume => ({
  ...known,
  physicalVolumes: [...new Set([...known.physicalVolumes, ...segment.physicalVolumes])],
});

/** Throws NodeFailure for a line that is not one of the table. */
export function volumeOfLine(line: string): Volume & { readonly path: string } {
  const columns = line.split("|");
  if (columns.length === 9 && columns[8] === "") columns.pop();
  if (columns.length !== 8) {
    throw new NodeFailure(`Can't parse LVS output, len(${JSON.stringify(columns)}) != 8`);
  }
  const [group, name, attributes = "", major = "", minor = "", extent = "", stripes = ""] = columns;
  if (attributes.length < 6) {
    throw new NodeFailure(`lvs lv_attr is not at least 6 characters (${attributes})`);
  }
  return {
    path: `/dev/${group}/${name}`,
    attributes,
    major: whole(major, "lvs major/minor cannot be parsed"),
    minor: whole(minor, "lvs major/minor cannot be parsed"),
    extentKib: extentOf(extent),
    stripes: whole(stripes, "Can't parse the number of stripes"),
    physicalVolumes: devicesOf(columns[7] ?? ""),
  };
}

function whole(text: string, fault: string): number {
  if (!/^-?\d+$/.test(text)) throw new NodeFailure(`${fault}: ${text}`);
  return Number(text);
}

function extentOf(text: string): number {
  if (!/^\d+(\.\d+)?$/.test(text)) throw new NodeFailure(`Can't parse vg extent size: ${text}`);
  return Math.trunc(Number(text));
}

/** `/dev/vdc(64),/dev/vdd(0)`; empty for a volume without extents of its own. */
export function devicesOf(text: string): readonly string[] {
  if (text === "") return [];
  const paths = text.split(",").map((part) => {
    const path = /^(.+)\(\d+\)$/.exec(part)?.[1];
    if (path === undefined) throw new NodeFailure(`Can't parse this device list: ${text}`);
    return path;
  });
  return [...new Set(paths)];
}

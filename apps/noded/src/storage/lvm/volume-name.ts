/** VolumeName: checked names of logical volumes. */
import type { DiskOnNode } from "@ganeti-ts/node-calls";
import { NodeFailure } from "../../failure.js";

export interface VolumeName {
  readonly group: string;
  readonly name: string;
  /** Device file: `/dev/GROUP/NAME`. */
  readonly path: string;
}

const reserved: ReadonlySet<string> = new Set([".", "..", "snapshot", "pvmove"]);

/** Throws NodeFailure for names that LVM does not accept, or that could be taken for options or paths. */
export function checkLvmName(name: unknown): string {
  if (
    typeof name !== "string" ||
    !/^[a-zA-Z0-9+_.-]+$/.test(name) ||
    name.startsWith("-") ||
    reserved.has(name) ||
    /_mlog|_mimage/.test(name)
  ) {
    throw new NodeFailure(`Invalid LVM name '${name}'`);
  }
  return name;
}

/** Volume of a plain disk with the logical id `[GROUP, NAME]`. */
export function volumeOf({ logical_id }: Pick<DiskOnNode, "logical_id">): VolumeName {
  if (logical_id.length !== 2) {
    throw new Error(`Invalid configuration data ${JSON.stringify(logical_id)}`);
  }
  const [group, name] = [checkLvmName(logical_id[0]), checkLvmName(logical_id[1])];
  return { group, name, path: `/dev/${group}/${name}` };
}

/** Directories of disks that are files. */
import type { RealDisk } from "@ganeti-ts/protocol";

/** Directory of a file-based disk. */
export const directoryOf = (disk: Pick<RealDisk, "logical_id">): string =>
  String(disk.logical_id[1]).replace(/\/[^/]*$/, "");

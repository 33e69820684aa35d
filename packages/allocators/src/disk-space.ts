/** Space that disks use on a node. */
import { diskUsageMib } from "@ganeti-ts/protocol";

/** Total space (MiB), including the metadata of mirrors. */
export const diskSpaceMib = (
  disks: readonly { readonly type: string | null; readonly size: number }[],
): number => disks.reduce((sum, { type, size }) => sum + diskUsageMib(type, size), 0);

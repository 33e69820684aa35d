import type { DiskOnNode, MirrorEnds } from "@ganeti-ts/node-calls";

/** Facts outside of a value that determine its form on the wire. */
export interface WireContext {
  /** Ends of a mirror from the perspective of the receiving node, with the addresses of introduced nodes. */
  ends(disk: DiskOnNode): MirrorEnds | null;
  /** Paths of uploads, queue files and checked files carry the prefix of virtual clusters. */
  readonly virtualPaths: boolean;
  /**
   * Folder of the exports on the receiving node. Paths that are relative or in the `exportDirectory` of node-calls are
   * converted to paths below this folder on the wire. Default: paths are not converted.
   */
  readonly exportDirectory?: string | undefined;
}

/** A context without nodes: only disks with their own `ends` have ends. */
export const noNodes: WireContext = { ends: () => null, virtualPaths: false };

import type { DiskOnNode, MirrorEnds } from "@ganeti-ts/node-calls";

/** Facts outside a value that its form on the wire depends on. */
export interface WireContext {
  /** Ends of a mirror as the receiving node sees them, from the addresses of introduced nodes. */
  ends(disk: DiskOnNode): MirrorEnds | null;
  /** Paths of uploads, queue files and checked files carry the prefix of virtual clusters. */
  readonly virtualPaths: boolean;
  /**
   * Folder of the exports on the receiving node; paths of the port, in its own `exportDirectory` or relative to it,
   * are below this one on the wire. Default: paths stay as they are.
   */
  readonly exportDirectory?: string | undefined;
}

/** A context without nodes: no disk has ends unless it carries them itself. */
export const noNodes: WireContext = { ends: () => null, virtualPaths: false };

/** The caller of calls to nodes that no job makes; they change nothing that jobs rely on. */
import type { NodeCaller } from "@ganeti-ts/node-calls";

/** Never stops waiting; nodes answer, or their calls time out. */
export const nobody: NodeCaller = {
  lease: "",
  signal: {
    aborted: false,
    reason: undefined,
    addEventListener: () => {},
    removeEventListener: () => {},
  },
};

/** Who asks nodes when no job does: what is asked this way changes nothing that jobs count on. */
import type { NodeCaller } from "@ganeti-ts/node-calls";

/** Never stops waiting; nodes answer, or are silent for a bounded time. */
export const nobody: NodeCaller = {
  lease: "",
  signal: {
    ...{ aborted: false, reason: undefined },
    addEventListener: () => {},
    removeEventListener: () => {},
  },
};

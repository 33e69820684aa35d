/** Who asks nodes when no job does: nothing that is asked this way changes anything. */
import type { NodeCaller } from "@ganeti-ts/logical-units";

/** Never stops waiting; nodes answer, or are silent for a bounded time. */
export const nobody: NodeCaller = {
  lease: "",
  signal: {
    ...{ aborted: false, reason: undefined },
    addEventListener: () => {},
    removeEventListener: () => {},
  },
};

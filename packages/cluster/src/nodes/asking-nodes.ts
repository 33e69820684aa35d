/** Caller of node calls made outside of jobs; they change nothing that jobs rely on. */
import type { NodeCaller } from "@ganeti-ts/node-calls";

/** Waits without limit; nodes answer, or their calls time out. */
export const nobody: NodeCaller = {
  lease: "",
  signal: {
    aborted: false,
    reason: undefined,
    addEventListener: () => {},
    removeEventListener: () => {},
  },
};

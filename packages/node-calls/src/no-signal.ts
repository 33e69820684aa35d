import type { CancelSignal } from "@ganeti-ts/protocol";

/** A signal that never fires. */
export const noSignal: CancelSignal = {
  aborted: false,
  reason: undefined,
  addEventListener() {},
  removeEventListener() {},
};

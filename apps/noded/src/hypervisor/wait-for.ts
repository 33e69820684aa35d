/** Waits for a condition, on the clock of the daemon. */
import { pause } from "@ganeti-ts/protocol";
import type { NodeContext } from "../context.js";

type Ports = Pick<NodeContext, "clock">;

/** Calls `isDone` every `everyMs` for at most `forMs`, and once at the end; returns its last answer. */
export async function waitFor(
  ports: Ports,
  isDone: () => Promise<boolean>,
  { everyMs, forMs }: { readonly everyMs: number; readonly forMs: number },
): Promise<boolean> {
  const end = ports.clock.now() + forMs;
  for (;;) {
    if (await isDone()) return true;
    const left = end - ports.clock.now();
    if (left <= 0) return false;
    await pause(ports.clock, Math.min(everyMs, left));
  }
}

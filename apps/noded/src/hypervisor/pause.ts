/** Waiting on the clock of the daemon. */
import type { NodeContext } from "../context.js";

type Ports = Pick<NodeContext, "clock">;

export const pause = ({ clock }: Ports, milliseconds: number): Promise<void> =>
  new Promise((resolve) => clock.after(milliseconds, resolve));

/** Asks `isDone` every `everyMs` for at most `forMs`, and once at the end; gives its last answer. */
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
    await pause(ports, Math.min(everyMs, left));
  }
}

/** Wait for nodes that have been switched on. */
import { setTimeout as pause } from "node:timers/promises";
import type { Invocation } from "../../invocation.js";
import { byName } from "../named.js";

const intervalMs = 30_000;
const patienceMs = 15 * 60_000;

/**
 * Calls `act` with the answering nodes, each time there are more of them. A node answers if the
 * server has its memory figures. Result: whether all did within a quarter of an hour, and `act`
 * always succeeded.
 */
export async function untilReachable(
  invocation: Invocation,
  nodes: readonly string[],
  act: (up: ReadonlySet<string>) => Promise<boolean>,
): Promise<boolean> {
  const { out, now, signal } = invocation;
  const end = now() + BigInt(patienceMs) * 1_000_000n;
  const up = new Set<string>();
  let succeeded = true;
  for (;;) {
    const before = up.size;
    for (const { name, mtotal } of await byName(invocation, "node", ["name", "mtotal"], nodes)) {
      if (mtotal === null || up.has(String(name))) continue;
      out.line(`Node ${name} became available`);
      up.add(String(name));
    }
    if (up.size > before && !(await act(up))) succeeded = false;
    const down = nodes.filter((name) => !up.has(name));
    if (down.length === 0) return succeeded;
    if (now() >= end) {
      out.error(
        `Time exceeded while waiting for nodes to become reachable again:\n  - ${down.join("  - ")}`,
      );
      return false;
    }
    await pause(intervalMs, undefined, { signal });
  }
}

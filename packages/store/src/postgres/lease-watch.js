// Decides what the lease thread does next. Pure, so that tests need no time: all values are in ms.

/**
 * A lease belongs to a worker whose main loop turns: once that has stood still for the length of a lease, the lease is
 * given up, so that another worker takes over. A shorter standstill costs nothing. If the loop turns again before
 * another worker has noticed, the lease is renewed.
 *
 * @param {{ nowMs: number, turnedMs: number, leaseMs: number }} times `turnedMs`: when the main loop turned last
 * @returns {{ act: "renew" | "give up", pauseMs: number }} the pause until the next decision
 */
export function nextAct({ nowMs, turnedMs, leaseMs }) {
  const leftMs = turnedMs + leaseMs - nowMs;
  if (leftMs <= 0) return { act: "give up", pauseMs: leaseMs / 10 };
  return { act: "renew", pauseMs: Math.min(leaseMs / 3, leftMs) };
}

/** The rate limit of a server: datagrams in each second of the clock, in total and from one address. */
import type { TimeOfDay } from "@ganeti-ts/protocol";

/** Addresses counted apart within a second; all others share one share, so that memory is bounded. */
export const addressesMax = 1024;

/**
 * Tells for each datagram whether it is within the rate: at most `perSecondMax` in a second, and half of
 * them (at least one) from one address. O(1); everything passes if `perSecondMax` is undefined.
 */
export function perSecondLimit(
  perSecondMax: number | undefined,
  clock: TimeOfDay,
): (address: string) => boolean {
  if (perSecondMax === undefined) return () => true;
  const shareMax = Math.max(1, Math.floor(perSecondMax / 2));
  const byAddress = new Map<string, number>();
  let others = 0;
  let total = 0;
  let second = Number.NaN;
  return (address) => {
    const now = Math.floor(clock.wallMicros() / 1e6);
    if (now !== second) {
      second = now;
      total = 0;
      others = 0;
      byAddress.clear();
    }
    if (total >= perSecondMax) return false;
    const isCounted = byAddress.has(address) || byAddress.size < addressesMax;
    const count = isCounted ? (byAddress.get(address) ?? 0) : others;
    if (count >= shareMax) return false;
    total++;
    if (isCounted) byAddress.set(address, count + 1);
    else others++;
    return true;
  };
}

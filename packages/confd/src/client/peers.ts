/** The servers that a client may ask: master candidates, by address. */
import { isIpv4, isIpv6 } from "@ganeti-ts/config";
import type { Random } from "@ganeti-ts/protocol";
import { ConfdClientError } from "./client-error.js";

/** Default number of peers that get a query. */
export const coverageDefault = 6;

/** Family of all addresses. @throws ConfdClientError `no peers`, `wrong peers` */
export function familyOf(peers: readonly string[]): "IPv4" | "IPv6" {
  const families = peers.map((peer) => {
    if (isIpv4(peer)) return "IPv4";
    if (isIpv6(peer)) return "IPv6";
    throw new ConfdClientError("wrong peers", `Peer address ${peer} invalid`);
  });
  const [family] = families;
  if (family === undefined) throw new ConfdClientError("no peers", "Peer list empty");
  if (families.some((other) => other !== family)) {
    throw new ConfdClientError("wrong peers", "Peers must be of same address family");
  }
  return family;
}

/**
 * Which peers get a request, in random order.
 *
 * | coverage | peers |
 * |---|---|
 * | absent | 6, or all if there are fewer |
 * | -1 | all |
 * | n | n |
 *
 * @throws ConfdClientError `wrong coverage` if there are fewer than n
 */
export function chosenPeers(
  peers: readonly string[],
  random: Random,
  coverage?: number,
): readonly string[] {
  const count = coverage ?? Math.min(peers.length, coverageDefault);
  if (count > peers.length) {
    const message = "Not enough MCs known to provide the desired coverage";
    throw new ConfdClientError("wrong coverage", message);
  }
  if (!Number.isInteger(count) || count === 0 || count < -1) {
    throw new ConfdClientError("wrong coverage", `${count} is no number of peers`);
  }
  return shuffled(peers, random).slice(0, count === -1 ? peers.length : count);
}

/** Fisher-Yates. */
function shuffled<T>(items: readonly T[], random: Random): T[] {
  const mixed = [...items];
  for (let at = mixed.length - 1; at > 0; at--) {
    const other = Math.floor(random.fraction() * (at + 1));
    [mixed[at], mixed[other]] = [mixed[other] as T, mixed[at] as T];
  }
  return mixed;
}

/**
 * Number of peers that must have answered before the newest answer is safe to use: all of one or two, all
 * but one of three or four, else more than half.
 */
export function neededReplies(peerCount: number): number {
  if (peerCount < 3) return peerCount;
  return peerCount < 5 ? peerCount - 1 : Math.floor(peerCount / 2) + 1;
}

/** Counts of a server's datagrams, for metrics. */
import type { ConfdFault } from "../wire/signed-message.js";

/**
 * Why a datagram got no answer; `no configuration`: the source had no snapshot; `busy`: too many answers were still being
 * sent; `rate`: it came above the server's rate.
 */
export type ConfdDrop = ConfdFault | "unknown query" | "no configuration" | "busy" | "rate";

/** Numbers of datagrams that a server has received, answered and dropped since its start. */
export interface ConfdCounts {
  readonly received: number;
  /** Answers handed to the system, by status: ok, error, not implemented. */
  readonly answered: Readonly<Record<0 | 1 | 2, number>>;
  readonly dropped: Readonly<Record<ConfdDrop, number>>;
  /** Answers that the system refused to send. */
  readonly sendsFailed: number;
}

export const noCounts = () => ({
  received: 0,
  answered: { 0: 0, 1: 0, 2: 0 },
  dropped: {
    "no magic": 0,
    malformed: 0,
    oversized: 0,
    "wrong hmac": 0,
    "clock skew": 0,
    "unknown query": 0,
    "no configuration": 0,
    busy: 0,
    rate: 0,
  },
  sendsFailed: 0,
});

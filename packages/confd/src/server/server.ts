/** A confd server on a UDP socket. */
import { createSocket, type Socket } from "node:dgram";
import type { TimeOfDay } from "@ganeti-ts/protocol";
import { confdPort } from "../wire/constants.js";
import { type ConfdCounts, type ConfdDrop, noCounts } from "./counts.js";
import { type ConfdSource, respondTo } from "./responder.js";

/** Options of a server: its source, its socket and its limits. */
export interface ConfdServerOptions extends ConfdSource {
  /** Address to bind; all IPv4 addresses if absent. With a colon it is IPv6. */
  readonly address?: string;
  /** 1814 if absent; 0: any free port. */
  readonly port?: number;
  /** Maximum number of answers that wait in the system; beyond it queries are dropped. 1024 if absent. */
  readonly sendsMax?: number;
  /**
   * Maximum number of datagrams looked at within a second, of which one address may send half; more are
   * dropped unread. No limit if absent.
   */
  readonly perSecondMax?: number;
  /** Called for each datagram without answer. */
  readonly onDrop?: (why: ConfdDrop, from: ConfdPeer) => void;
  /** Called for errors of the socket after it was bound, with those of single answers. */
  readonly onError?: (error: Error) => void;
}

/** Address and port of one side of a datagram. */
export interface ConfdPeer {
  readonly address: string;
  readonly port: number;
}

/** A running server on one UDP socket. */
export interface ConfdServer {
  /** The bound address and port. */
  readonly bound: ConfdPeer;
  counts(): ConfdCounts;
  /** Resolves when the socket is closed. */
  close(): Promise<void>;
}

/**
 * Binds the socket and answers queries from the newest snapshot. Memory is bounded: nothing is kept of
 * a datagram but counts, and answers that the system has not yet taken are limited in number. Processor
 * time is bounded by `perSecondMax`.
 * @throws the system's error if the address cannot be bound
 */
export async function createConfdServer(options: ConfdServerOptions): Promise<ConfdServer> {
  const { address = "0.0.0.0", port = confdPort, sendsMax = 1024, onDrop, onError } = options;
  const socket = createSocket(address.includes(":") ? "udp6" : "udp4");
  const counts = noCounts();
  const isWithinRate = perSecondLimit(options.perSecondMax, options.clock);
  let sends = 0;

  const drop = (why: ConfdDrop, from: ConfdPeer) => {
    counts.dropped[why]++;
    onDrop?.(why, from);
  };
  const send = (datagram: Uint8Array, to: ConfdPeer) => {
    sends++;
    socket.send(datagram, to.port, to.address, (error) => {
      sends--;
      if (error === null) return;
      counts.sendsFailed++;
      onError?.(error);
    });
  };
  socket.on("message", (datagram, from) => {
    counts.received++;
    if (!isWithinRate(from.address)) return drop("rate", from);
    if (sends >= sendsMax) return drop("busy", from);
    const response = respondTo(datagram, options);
    if (response.kind === "drop") return drop(response.why, from);
    counts.answered[response.outcome.status]++;
    send(response.datagram, from);
  });
  await bind(socket, address, port);
  socket.on("error", (error) => onError?.(error));
  return {
    bound: socket.address(),
    counts: () => structuredClone(counts),
    close: () => new Promise((resolve) => void socket.close(() => resolve())),
  };
}

const bind = (socket: Socket, address: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.bind({ address, port, exclusive: true }, () => {
      socket.off("error", reject);
      resolve();
    });
  });

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

/** The server's listener for configuration queries: Ganeti's confd on the cluster's newest snapshot. */
import type { Cluster, Gauge } from "@ganeti-ts/cluster";
import { type ConfdCounts, type ConfdPeer, createConfdServer } from "@ganeti-ts/confd";
import { systemClock } from "@ganeti-ts/protocol";
import type { Log } from "../log.js";
import type { Metrics } from "../metrics.js";

export interface ConfdAddress {
  readonly address: string;
  /** UDP port; 0: any free port. */
  readonly port: number;
}

export interface ConfdListener {
  readonly bound: ConfdPeer;
  close(): Promise<void>;
}

export interface ConfdParts {
  readonly cluster: Pick<Cluster, "snapshot" | "queue">;
  readonly log: Log;
  readonly metrics: Pick<Metrics, "gauge">;
}

/** Maximum number of datagrams examined per second: a third of the rate that one processor can answer. */
const perSecondMax = 10_000;

/** Minimum time (ms) between two log lines about errors of the socket, each with their number. */
const errorLogMs = 10_000;

/** @param key gives the key in use @throws the system's error if the address cannot be bound */
export async function listenForConfd(
  { address, port }: ConfdAddress,
  key: () => Uint8Array,
  { cluster, log, metrics }: ConfdParts,
): Promise<ConfdListener> {
  const onError = errorLog(log);
  const server = await createConfdServer({
    snapshot: cluster.snapshot,
    filters: () => cluster.queue.rules,
    key,
    clock: systemClock,
    address,
    port,
    perSecondMax,
    onError,
    onDrop: (why, from) => {
      if (why !== "rate") log.debug({ why, from: from.address }, "confd: datagram dropped");
    },
  });
  metrics.gauge(confdGauge(server.counts));
  log.info({ ...server.bound }, "confd ready");
  return { bound: server.bound, close: () => server.close() };
}

/** Logs errors of the network at a limited rate. */
function errorLog(log: Log): (error: Error) => void {
  let loggedAt = Number.NEGATIVE_INFINITY;
  let count = 0;
  return (error) => {
    count++;
    const now = performance.now();
    if (now - loggedAt < errorLogMs) return;
    log.warn({ error, count }, "confd: answers could not be sent");
    loggedAt = now;
    count = 0;
  };
}

/** Numbers of datagrams since the start, by outcome. */
const confdGauge = (counts: () => ConfdCounts): Gauge => ({
  name: "ganeti_confd_datagrams",
  help: "Configuration queries by what became of them: answers by status, and reasons for silence",
  label: "outcome",
  async read() {
    const { answered, dropped, sendsFailed } = counts();
    const drops = Object.entries(dropped).map(([why, count]) => [`dropped: ${why}`, count]);
    return {
      ok: answered[0],
      error: answered[1],
      "not implemented": answered[2],
      "not sent": sendsFailed,
      ...(Object.fromEntries(drops) as Record<string, number>),
    };
  },
});

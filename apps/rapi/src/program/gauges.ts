/** Gauges of the server itself, in addition to those of its cluster. */
import type { Gauge } from "@ganeti-ts/cluster";
import type { Gates } from "../http/gate.js";
import type { LogFigures } from "../log-destination.js";

export const gateGauge = (gates: Gates): Gauge => ({
  name: "ganeti_rapi_requests",
  help: "Requests that are worked on, that wait for a place, and whose client has gone while they go on",
  label: "state",
  async read() {
    const [port, socket] = [gates.port.figures(), gates.socket.figures()];
    return {
      running: port.running + socket.running,
      waiting: port.waiting + socket.waiting,
      abandoned: port.abandoned + socket.abandoned,
    };
  },
});

/** Lines of the log that are waiting or were dropped: above zero if the log is full or stuck. */
export const logGauge = (figures: () => LogFigures): Gauge => ({
  name: "ganeti_log_lines",
  help: "Lines of the log that were dropped since the start, and that wait to be written",
  label: "state",
  read: async () => ({ ...figures() }),
});

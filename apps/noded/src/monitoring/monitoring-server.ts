/** Answers as Ganeti's monitoring daemon does, for allocators that balance by load. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Clock } from "@ganeti-ts/protocol";
import type { CpuLoadCollector } from "./cpu-load.js";

export interface MonitoringServer {
  readonly port: number;
  close(): Promise<void>;
}

interface Ports {
  readonly clock: Pick<Clock, "wallMicros">;
  readonly cpuLoad: Pick<CpuLoadCollector, "load">;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** The answer to a path. Reports have the keys that Ganeti's programs expect, and no others. */
export function answerTo(path: string, { clock, cpuLoad }: Ports): Answer {
  const report = () => ({
    ...{ name: "cpu-avg-load", version: "B", format_version: 1 },
    // Nanoseconds: more than a number holds exactly, as in Ganeti's reports read by JavaScript.
    timestamp: clock.wallMicros() * 1000,
    ...{ category: null, kind: 0, data: cpuLoad.load() },
  });
  switch (path) {
    case "/":
      return { status: 200, body: [1] };
    case "/1/list/collectors":
      return { status: 200, body: [["default", "cpu-avg-load", ["perf"]]] };
    case "/1/report/all":
      return { status: 200, body: [report()] };
    case "/1/report/default/cpu-avg-load":
      return cpuLoad.load() === null
        ? { status: 503, body: "No data collected yet" }
        : { status: 200, body: report() };
    default:
      return { status: 404, body: "Not found" };
  }
}

/** Listens from the moment the promise resolves; rejects if the port is in use. */
export async function serveMonitoring(
  ports: Ports,
  { address, port }: { readonly address: string; readonly port: number },
): Promise<MonitoringServer> {
  const server = createServer((request, response) => {
    const { status, body } =
      request.method === "GET"
        ? answerTo(request.url ?? "", ports)
        : { status: 405, body: "Only GET is supported" };
    response.writeHead(status, { "Content-Type": "application/json", Connection: "close" });
    response.end(JSON.stringify(body));
  });
  server.maxConnections = 16;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, address, () => resolve());
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

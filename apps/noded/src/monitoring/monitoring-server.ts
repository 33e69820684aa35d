/** Monitoring server: answers like Ganeti's monitoring daemon, for allocators that balance by load. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { refuseProxies } from "@ganeti-ts/node-rpc";
import type { Clock } from "@ganeti-ts/protocol";
import type { CpuLoadCollector } from "./cpu-load.js";
import type { StorageHealthCollector } from "./storage-health.js";

export interface MonitoringServer {
  readonly port: number;
  close(): Promise<void>;
}

interface Ports {
  readonly clock: Pick<Clock, "wallMicros">;
  readonly cpuLoad: Pick<CpuLoadCollector, "load">;
  readonly storage: StorageHealthCollector;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** The answer to a path. Reports have the keys that Ganeti's programs expect, and no others. */
export async function answerTo(path: string, ports: Ports): Promise<Answer> {
  const { clock, cpuLoad, storage } = ports;
  const head = () => ({
    ...{ version: "B", format_version: 1 },
    // Nanoseconds, rounded to what a number can hold.
    timestamp: clock.wallMicros() * 1000,
  });
  const report = () => ({
    ...{ name: "cpu-avg-load", ...head(), category: null, kind: 0, data: cpuLoad.load() },
  });
  // Ganeti's kind 1: a status collector, whose data starts with a status.
  const storageReport = async () => ({
    ...{ name: "storage-health", ...head(), category: "storage", kind: 1 },
    data: await storage.health(),
  });
  switch (path) {
    case "/":
      return { status: 200, body: [1] };
    case "/1/list/collectors":
      return {
        status: 200,
        body: [
          ["default", "cpu-avg-load", ["perf"]],
          ["storage", "storage-health", ["status"]],
        ],
      };
    case "/1/report/all":
      return { status: 200, body: [report(), await storageReport()] };
    case "/1/report/storage/storage-health":
      return { status: 200, body: await storageReport() };
    case "/1/report/default/cpu-avg-load":
      return cpuLoad.load() === null
        ? { status: 503, body: "No data collected yet" }
        : { status: 200, body: report() };
    default:
      return { status: 404, body: "Not found" };
  }
}

/** Resolves when the server listens; rejects if the port is in use. */
export async function serveMonitoring(
  ports: Ports,
  { address, port }: { readonly address: string; readonly port: number },
): Promise<MonitoringServer> {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { status, body } =
      request.method === "GET"
        ? await answerTo(request.url ?? "", ports)
        : { status: 405, body: "Only GET is supported" };
    response.writeHead(status, { "Content-Type": "application/json", Connection: "close" });
    response.end(JSON.stringify(body));
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => response.destroy(error));
  });
  refuseProxies(server);
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

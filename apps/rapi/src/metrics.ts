/** Metrics of the server for Prometheus. */
import type { Gauge as ClusterGauge } from "@ganeti-ts/cluster";
import { Counter, Gauge, Histogram, Registry } from "prom-client";

export interface Metrics {
  /** Counts an answered request. `path` is that of the resource, with its variable parts in braces. */
  answered(method: string, path: string, status: number, seconds: number): void;
  /** Counts a refused login: a wrong name or password, or too many failures before. */
  loginFailed(why: "wrong" | "too many"): void;
  /** Adds a gauge that is read on demand. */
  gauge(gauge: ClusterGauge): void;
  /** All metrics in Prometheus' text format. */
  text(): Promise<string>;
}

export const metricsType = Registry.PROMETHEUS_CONTENT_TYPE;

export function createMetrics(): Metrics {
  const registry = new Registry();
  const requests = new Histogram({
    name: "ganeti_rapi_request_seconds",
    help: "How long requests took",
    labelNames: ["method", "path"],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [registry],
  });
  const answers = new Counter({
    name: "ganeti_rapi_answers_total",
    help: "Answers by their status",
    labelNames: ["method", "path", "status"],
    registers: [registry],
  });
  const logins = new Counter({
    name: "ganeti_rapi_failed_logins_total",
    help: "Refused logins: wrong names or passwords, and attempts after too many of these",
    labelNames: ["reason"],
    registers: [registry],
  });
  for (const reason of ["wrong", "too many"]) logins.inc({ reason }, 0);
  return {
    loginFailed: (reason) => logins.inc({ reason }),
    answered(method, path, status, seconds) {
      requests.observe({ method, path }, seconds);
      answers.inc({ method, path, status });
    },
    gauge({ name, help, label, read }) {
      new Gauge({
        name,
        help,
        registers: [registry],
        labelNames: label === "" ? [] : [label],
        async collect() {
          this.reset();
          for (const [key, value] of Object.entries(await read())) {
            if (label === "") this.set(value);
            else this.set({ [label]: key }, value);
          }
        },
      });
    },
    text: () => registry.metrics(),
  };
}

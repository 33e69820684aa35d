// Worker processes of a series: started, counted, stopped.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { ShareGroups } from "./core-shares.js";

/** Messages of a worker: that it is ready, and periodically the number of jobs it has run with its processor time. */
type Report = { readonly ready: true; readonly cpuMs: number } | Count;

interface Count {
  readonly runs: number;
  /** Processor time (ms) since the start of the process. */
  readonly cpuMs: number;
}

export interface Workers {
  /** Jobs that all of them together have run. */
  runs(): number;
  /** Processor time (ms) of all of them together since they were ready, as of their last report. */
  cpuMs(): number;
  /** Asks them to stop and waits for it. */
  stop(): Promise<void>;
}

/**
 * Options for Node. ganeti-rapi has the same one in its first line: with V8's usual four threads, the main thread of a
 * small machine waits for a core while its code is compiled. The other queues get it too, so that they are compared
 * alike.
 */
const execArgv = ["--v8-pool-size=1"];

/** Starts `count` processes of a built file in this folder, with `settings` for each; `groups` limits each of them. */
export async function startWorkers(
  file: string,
  count: number,
  settings: object,
  groups?: ShareGroups,
): Promise<Workers> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const counts = new Map<ChildProcess, Count>();
  let cpuAtStart = 0;
  const sum = (of: (count: Count) => number) =>
    [...counts.values()].reduce((total, one) => total + of(one), 0);
  const started = Array.from({ length: count }, async () => {
    const child = fork(path, [JSON.stringify(settings)], { execArgv });
    groups?.limit("server", [child.pid as number]);
    counts.set(child, { runs: 0, cpuMs: 0 });
    await new Promise<void>((resolve, reject) => {
      child.on("message", (report: Report) => {
        if ("ready" in report) {
          cpuAtStart += report.cpuMs;
          counts.set(child, { runs: 0, cpuMs: report.cpuMs });
          resolve();
        } else counts.set(child, report);
      });
      child.once("exit", () => reject(new Error(`${file} ended too soon`)));
    });
  });
  const isUp = Promise.all(started);
  const stop = async () => {
    await Promise.all(
      [...counts.keys()].map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const exited = once(child, "exit");
        child.send("stop");
        await exited;
      }),
    );
  };
  try {
    await isUp;
  } catch (error) {
    for (const child of counts.keys()) child.kill();
    throw error;
  }
  return {
    runs: () => sum(({ runs }) => runs),
    cpuMs: () => sum(({ cpuMs }) => cpuMs) - cpuAtStart,
    stop,
  };
}

/** For a worker: its settings, a function to count a run with, and what to do in the end. */
export function reportTo<Settings>(): {
  readonly settings: Settings;
  ran(): void;
  ready(stop: () => Promise<void>): void;
} {
  let runs = 0;
  let sent = 0;
  const timer = setInterval(() => {
    if (runs !== sent) process.send?.({ runs, cpuMs: ownCpuMs() });
    sent = runs;
  }, 10);
  return {
    settings: JSON.parse(process.argv[2] as string) as Settings,
    ran: () => {
      runs++;
    },
    ready(stop) {
      process.once("message", async () => {
        clearInterval(timer);
        await stop();
        process.disconnect();
      });
      process.send?.({ ready: true, cpuMs: ownCpuMs() });
    },
  };
}

/** Processor time (ms) of this process. */
export function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

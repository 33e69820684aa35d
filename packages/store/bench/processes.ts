// Worker processes of a series: started, counted, stopped.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** Messages of a worker: that it is ready, and periodically the number of jobs it has run. */
type Report = { readonly ready: true } | { readonly runs: number };

export interface Workers {
  /** Jobs that all of them together have run. */
  runs(): number;
  /** Asks them to stop and waits for it. */
  stop(): Promise<void>;
}

/** Starts `count` processes of a built file in this folder, with `settings` for each. */
export async function startWorkers(
  file: string,
  count: number,
  settings: object,
): Promise<Workers> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const runs = new Map<ChildProcess, number>();
  const started = Array.from({ length: count }, async () => {
    const child = fork(path, [JSON.stringify(settings)]);
    runs.set(child, 0);
    await new Promise<void>((resolve, reject) => {
      child.on("message", (report: Report) => {
        if ("ready" in report) resolve();
        else runs.set(child, report.runs);
      });
      child.once("exit", () => reject(new Error(`${file} ended too soon`)));
    });
  });
  const isUp = Promise.all(started);
  const stop = async () => {
    await Promise.all(
      [...runs.keys()].map(async (child) => {
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
    for (const child of runs.keys()) child.kill();
    throw error;
  }
  return { runs: () => [...runs.values()].reduce((sum, one) => sum + one, 0), stop };
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
    if (runs !== sent) process.send?.({ runs });
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
      process.send?.({ ready: true });
    },
  };
}

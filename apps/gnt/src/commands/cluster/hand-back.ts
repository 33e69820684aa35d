/** gnt-cluster hand-back: gives an adopted cluster back to Ganeti's own daemons. */
import { setTimeout as pause } from "node:timers/promises";
import type { ExitCode } from "../../command.js";
import { Ending } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { isServed, runToEnd, startServer, stopServer } from "./server-program.js";
import { storeWords } from "./server-store.js";

/** Interval (ms) at which running jobs are counted. */
const lookMs = 1000;

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { options, out, env, dataDirectory, cluster } = invocation;
  if (options.has("url")) {
    throw new Ending("Cannot give a cluster back remotely: run this on its master.");
  }
  const place = { dataDirectory, env };
  const inStore = storeWords(options);
  const wasServed = isServed(dataDirectory);
  let wasDrained = false;
  if (wasServed) {
    wasDrained = await cluster.isDrained();
    await cluster.setDrained(true);
    await noJobsRun(invocation);
    await stopServer(dataDirectory);
  }
  const { status, output } = runToEnd(place, [
    "--hand-back",
    ...inStore,
    ...(options.flag("drop") ? ["--drop"] : []),
    ...(wasDrained ? ["--stay-drained"] : []),
  ]);
  for (const line of output.split("\n")) if (line !== "") out.line(line);
  if (status === 0) {
    out.line("Ganeti's daemons have the cluster again. See gnt-cluster verify.");
    return 0;
  }
  if (wasServed) {
    await startServer(place, {
      words: inStore,
      failure: "The cluster was not given back",
    });
    await cluster.setDrained(wasDrained);
    out.error("The cluster was not given back; its server runs again.");
  }
  return 1;
}

/** Queued jobs stay in the queue, for Ganeti to run. */
async function noJobsRun({ cluster, out, signal }: Invocation): Promise<void> {
  const states = ["running", "waiting", "canceling"] as const;
  const running = ["|", ...states.map((one) => ["=", "status", one] as const)] as const;
  let shown = 0;
  for (;;) {
    const { data } = await cluster.query("job", ["id"], running);
    if (data.length === 0) return;
    if (data.length !== shown) out.line(`Waiting for ${data.length} running jobs ...`);
    shown = data.length;
    await pause(lookMs, undefined, { signal });
  }
}

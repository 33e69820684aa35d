/** gnt-cluster watcher: shows or pauses the automatic restart of instances and disks. */
import type { ExitCode } from "../../command.js";
import { prereqError } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { timeSpan } from "../../time-span.js";
import { ctimeText } from "../../time-text.js";

export async function run({ args, cluster, out, now }: Invocation): Promise<ExitCode> {
  const [command, duration] = args;
  const nowSeconds = Number(now()) / 1e9;
  const show = (until: number | null) =>
    out.line(
      until === null || until < nowSeconds
        ? "The watcher is not paused."
        : `The watcher is paused until ${ctimeText(until)}.`,
    );
  switch (command) {
    case "continue":
      await cluster.setWatcherPause(null);
      out.line("The watcher is no longer paused.");
      return 0;
    case "pause": {
      if (duration === undefined) throw prereqError("Missing pause duration");
      const until = nowSeconds + timeSpan(duration);
      await cluster.setWatcherPause(until);
      show(until);
      return 0;
    }
    case "info":
      show(await cluster.watcherPause());
      return 0;
    default:
      throw prereqError(`Command '${command}' is not valid.`);
  }
}

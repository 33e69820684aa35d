/** gnt-cluster adopt: takes the Ganeti cluster of this master over, and starts the server in its place. */
import type { ExitCode } from "../../command.js";
import type { Invocation } from "../../invocation.js";
import { runToEnd, startServer } from "./server-program.js";
import { storeWords } from "./server-store.js";

export async function run({ options, out, env, dataDirectory }: Invocation): Promise<ExitCode> {
  const place = { dataDirectory, env };
  const words = [
    "--adopt",
    ...(options.flag("upgrade") ? ["--upgrade"] : []),
    ...storeWords(options),
  ];
  const { status, output } = runToEnd(place, [...words, "--check"]);
  for (const line of output.split("\n")) if (line !== "") out.line(line);
  if (status !== 0) return 1;
  if (options.flag("check")) return 0;
  const { pid, log } = await startServer(place, {
    port: options.integer("port"),
    words,
    failure: "The cluster can be taken over",
  });
  out.line(`The cluster is served from ${dataDirectory} by process ${pid}, log ${log}`);
  out.line("Give it back with: gnt-cluster hand-back");
  out.document({ dataDirectory, pid, log });
  return 0;
}

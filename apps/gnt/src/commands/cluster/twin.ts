/** gnt-cluster twin: makes a cluster of simulated nodes like another cluster, starts its server, and opens a shell on it. */
import type { ExitCode } from "../../command.js";
import { Ending } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { accessOf } from "./other-cluster.js";
import { isServed, makeTwin, startServer } from "./server-program.js";
import { isTwin, twinShell } from "./twin-shell.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { args, options, out, dataDirectory } = invocation;
  const [source] = args;
  const opensShell = options.flag("shell");
  if (options.has("url")) {
    throw new Ending(
      "Cannot create a twin remotely: it is created in the data directory of this machine. The cluster to read is an argument.",
    );
  }
  if (opensShell && (options.flag("no-start") || out.json)) {
    throw new Ending("--shell cannot be used together with --no-start or --json");
  }
  if (source === undefined) {
    if (!opensShell) throw new Ending("The file or URL to read the cluster from is missing");
    if (!isTwin(dataDirectory)) throw new Ending(`There is no twin in ${dataDirectory}`);
    if (!isServed(dataDirectory)) await serve(invocation);
    return twinShell(invocation);
  }
  const remarks = make(invocation, source);
  if (options.flag("no-start")) {
    out.line(`The twin is in ${dataDirectory}. Serve it with:`);
    out.line(`  ganeti-rapi --data-dir=${dataDirectory}`);
    out.document({ dataDirectory, remarks });
    return 0;
  }
  out.document({ dataDirectory, remarks, ...(await serve(invocation)) });
  return opensShell ? twinShell(invocation) : 0;
}

/** Makes the twin without serving it; gives what it lacks, in lines for people. */
function make({ options, out, env, dataDirectory }: Invocation, source: string): readonly string[] {
  const access = accessOf(options);
  const remarks = makeTwin(
    { dataDirectory, env: { ...env, ...access } },
    { source, figures: options.text("figures"), insecure: options.flag("insecure") },
  );
  for (const remark of remarks) out.line(`Note: ${remark}`);
  return remarks;
}

async function serve({ options, out, env, dataDirectory }: Invocation) {
  const port = options.integer("port");
  const address = options.text("address");
  const { pid, log } = await startServer({ dataDirectory, env }, { port, address });
  out.line(`The twin is served from ${dataDirectory} by process ${pid}, log ${log}`);
  return { pid, log };
}

/** gnt-cluster twin: makes a cluster of simulated nodes like another cluster, and starts its server. */
import type { ExitCode } from "../../command.js";
import { Ending } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { accessOf } from "./other-cluster.js";
import { makeTwin, startServer } from "./server-program.js";

const usualPort = 5080;

export async function run({
  args,
  options,
  out,
  env,
  dataDirectory,
}: Invocation): Promise<ExitCode> {
  const [source] = args as [string];
  if (options.has("url")) {
    throw new Ending(
      "Cannot create a twin remotely: it is created in the data directory of this machine. The cluster to read is an argument.",
    );
  }
  const access = accessOf(options);
  const remarks = makeTwin(
    { dataDirectory, env: { ...env, ...access } },
    { source, figures: options.text("figures"), insecure: options.flag("insecure") },
  );
  for (const remark of remarks) out.line(`Note: ${remark}`);
  if (options.flag("no-start")) {
    out.line(`The twin is in ${dataDirectory}. Serve it with:`);
    out.line(`  ganeti-rapi --data-dir=${dataDirectory}`);
    out.document({ dataDirectory, remarks });
    return 0;
  }
  const port = options.integer("port") ?? usualPort;
  const { pid, log } = await startServer({ dataDirectory, env }, port, options.text("address"));
  out.line(`The twin is served from ${dataDirectory} by process ${pid}, log ${log}`);
  out.document({ dataDirectory, remarks, pid, log });
  return 0;
}

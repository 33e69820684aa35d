/** gnt-cluster init: a cluster from nothing, and the server that serves it. */
import type { ExitCode } from "../../command.js";
import { Ending } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { newClusterFile } from "./new-cluster.js";
import { makeCluster, startServer } from "./server-program.js";

const usualPort = 5080;

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { args, options, out, env, dataDirectory } = invocation;
  const [name] = args as [string];
  if (options.has("url")) {
    throw new Ending("Cannot make a cluster elsewhere: init makes it in the data directory here.");
  }
  if (!options.flag("simulated")) {
    throw new Ending(
      "Cannot make a cluster of real nodes: this server has none yet." +
        ` See gnt-cluster init --simulated ${name}`,
    );
  }
  const file = newClusterFile(name, options, (text) => out.line(text));
  const place = { dataDirectory, env };
  makeCluster(place, name, file);
  if (options.flag("no-start")) {
    out.line(`Cluster ${name} is in ${dataDirectory}. Serve it with:`);
    out.line(`  ganeti-rapi --data-dir=${dataDirectory}`);
    return 0;
  }
  const { pid, log } = await startServer(place, options.integer("port") ?? usualPort);
  await runOpcode(invocation, { OP_ID: "OP_CLUSTER_POST_INIT" });
  out.line(`Cluster ${name} is served from ${dataDirectory} by process ${pid}, log ${log}`);
  out.document({ name, dataDirectory, pid, log });
  return 0;
}

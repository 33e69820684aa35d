/** gnt-cluster destroy: takes down the cluster's address, stops its server and removes its data. */
import type { ExitCode } from "../../command.js";
import { Ending } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import {
  changeMachine,
  hasRealNodes,
  isKeptElsewhere,
  removeCluster,
  stopServer,
} from "./server-program.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { options, dataDirectory } = invocation;
  if (!options.flag("yes-do-it")) {
    throw new Ending(
      "Destroying a cluster is irreversible. If you really want destroy this cluster, supply the" +
        " --yes-do-it option.",
    );
  }
  if (options.has("url") || invocation.env.GANETI_RAPI_URL) {
    throw new Ending("Cannot destroy a cluster remotely: run this where its server runs.");
  }
  if (isKeptElsewhere(dataDirectory)) {
    throw new Ending(
      "Cannot destroy this cluster: it is kept in the database that its servers were started with (--store)." +
        " Stop all of them, then drop the database.",
    );
  }
  await runOpcode(invocation, { OP_ID: "OP_CLUSTER_DESTROY" });
  await stopServer(dataDirectory);
  if (hasRealNodes(dataDirectory)) {
    changeMachine({ dataDirectory, env: invocation.env }, ["--leave-cluster"]);
  }
  removeCluster(dataDirectory);
  return 0;
}

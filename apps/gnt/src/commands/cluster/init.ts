/** gnt-cluster init: creates a cluster and starts its server. */
import type { ExitCode } from "../../command.js";
import { Ending } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { newClusterFile } from "./new-cluster.js";
import { makeCluster, startServer } from "./server-program.js";
import { setUser } from "./user.js";
import { type Rights, rights } from "./users-file.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { args, options, out, env, dataDirectory } = invocation;
  const [name] = args as [string];
  if (options.has("url")) {
    throw new Ending(
      "Cannot create a cluster remotely: init creates it in the data directory of this machine.",
    );
  }
  const simulated = options.flag("simulated");
  if (!simulated && (options.integer("nodes") ?? 1) !== 1) {
    throw new Ending("--nodes is for simulated nodes: add machines with gnt-node add");
  }
  const user = apiUser(options.text("api-user"));
  const file = newClusterFile(name, options, (text) => out.line(text));
  const place = { dataDirectory, env, say: (text: string) => out.line(text) };
  makeCluster(place, name, file, simulated ? "simulated" : "ganeti");
  if (user !== undefined) setUser(out, dataDirectory, { ...user, file: undefined });
  if (options.flag("no-start")) {
    out.line(`Cluster ${name} is in ${dataDirectory}. Serve it with:`);
    out.line(`  ganeti-rapi --data-dir=${dataDirectory}`);
    return 0;
  }
  const { pid, log } = await startServer(place, { port: options.integer("port") });
  await runOpcode(invocation, { OP_ID: "OP_CLUSTER_POST_INIT" });
  out.line(`Cluster ${name} is served from ${dataDirectory} by process ${pid}, log ${log}`);
  out.document({ name, dataDirectory, pid, log });
  return 0;
}

/** @throws Ending for unknown rights */
function apiUser(text: string | undefined): { name: string; rights: Rights } | undefined {
  if (text === undefined) return undefined;
  const [name = "", given = "write", ...more] = text.split(":");
  const known = rights.find((one) => one === given);
  if (name === "" || known === undefined || more.length > 0) {
    throw new Ending(
      `--api-user is NAME or NAME:RIGHTS with rights ${rights.join(", ")}, not '${text}'`,
    );
  }
  return { name, rights: known };
}

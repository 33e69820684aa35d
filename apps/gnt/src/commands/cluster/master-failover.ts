/** gnt-cluster master-failover: makes another node the master. */
import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Json } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import { Ending } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { given } from "../../opcode.js";
import { byName, type Values } from "../named.js";
import { isThisMachine } from "../node/this-machine.js";
import { isServed, startServer } from "./server-program.js";
import { storeWords } from "./server-store.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { args, options, ask, out } = invocation;
  if (isCandidateAlone(invocation)) return takeOver(invocation);
  if (options.has("store")) {
    throw new Ending(
      "--store is for a master candidate on which no server runs: this server has its database already.",
    );
  }
  const node = args[0] ?? (await thisMachine(invocation));
  const noVoting = options.flag("no-voting");
  if (noVoting && !options.flag("yes-do-it") && !(await ask.confirm(dangerous, "--yes-do-it")))
    return 1;
  const [old, wanted] = (await runOpcode(invocation, {
    OP_ID: "OP_CLUSTER_MASTER_FAILOVER",
    node_name: node,
    no_voting: noVoting,
    ...given({ ignore_offline_nodes: options.yesNo("ignore-offline-nodes") }),
  })) as [Json, Json];
  out.line(`Master failed over from ${old} to ${wanted}`);
  return 0;
}

const ganetiData = "/var/lib/ganeti";

/** A node of Ganeti on which no server of this data directory runs: it becomes the master by itself. */
function isCandidateAlone({ options, dataDirectory, env }: Invocation): boolean {
  if (options.has("url") || isServed(dataDirectory)) return false;
  return existsSync(join(env.GANETI_ROOTDIR ?? "/", ganetiData, "ssconf_master_node"));
}

/** From the copies of configuration and queue that this node holds. */
async function takeOver({
  args,
  options,
  ask,
  out,
  env,
  dataDirectory,
}: Invocation): Promise<ExitCode> {
  if (args[0] !== undefined && !isThisMachine(args[0]) && args[0] !== env.GANETI_HOSTNAME) {
    throw new Ending(`No server runs here: run this command on ${args[0]}.`);
  }
  const noVoting = options.flag("no-voting");
  if (noVoting && !options.flag("yes-do-it") && !(await ask.confirm(dangerous, "--yes-do-it")))
    return 1;
  const place = { dataDirectory, env };
  const { pid, log } = await startServer(place, {
    words: ["--take-over", ...(noVoting ? ["--no-voting"] : []), ...storeWords(options)],
    failure: "This node was not made the master",
    takesOver: true,
  });
  out.line(`This node is the master; the cluster is served by process ${pid}, log ${log}`);
  return 0;
}

const dangerous =
  "This will perform the failover even if most other nodes are down, or if this node is outdated. This is" +
  " dangerous as it can lead to a non-consistent cluster. Check the gnt-cluster(8) man page before" +
  " proceeding. Continue?";

/** Ganeti's command runs on the future master. @throws Ending if this machine is not a node */
async function thisMachine(invocation: Invocation): Promise<string> {
  const fields = ["name", "master", "master_candidate", "offline"];
  const nodes = await byName(invocation, "node", fields, []);
  const nameOf = ({ name }: Values) => String(name);
  const found = nodes.map(nameOf).find(isThisMachine);
  if (found !== undefined) return found;
  const candidates = nodes
    .filter((node) => node.master_candidate && !node.master && !node.offline)
    .map(nameOf);
  throw new Ending(
    `This machine (${hostname()}) is not a node of the cluster: name the new master,` +
      ` gnt-cluster master-failover NODE. Candidates: ${candidates.join(", ") || "none"}`,
  );
}

/** gnt-cluster master-failover: makes another node the master. */
import { hostname } from "node:os";
import type { Json } from "@ganeti-ts/protocol";
import type { ExitCode } from "../../command.js";
import { Ending } from "../../errors.js";
import type { Invocation } from "../../invocation.js";
import { runOpcode } from "../../jobs/follow.js";
import { given } from "../../opcode.js";
import { byName, type Values } from "../named.js";
import { isThisMachine } from "../node/this-machine.js";

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { args, options, ask, out } = invocation;
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

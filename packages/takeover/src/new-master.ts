/** Steps by which a master candidate becomes the master of an adopted cluster, common to files and a shared database. */

import {
  type ConfigFile,
  type Snapshot,
  ssconfLines,
  ssconfValues,
  withoutCertificatesOf,
} from "@ganeti-ts/config";
import type { GanetiSite } from "@ganeti-ts/machines";
import type { NodeBackend } from "@ganeti-ts/node-calls";
import type { ClusterObject, NodeObject } from "@ganeti-ts/protocol";
import { livingDaemons } from "./kept-down.js";
import type { TakeoverLog } from "./log.js";
import { ownDigest } from "./original.js";
import { TakeoverError } from "./takeover-error.js";
import { anyCaller, holdVote } from "./voting.js";

/** The node that is to become the master, and the present one. */
export interface Masters {
  readonly own: NodeObject;
  readonly old: NodeObject;
}

type Content = { readonly content: Pick<ConfigFile["content"], "cluster" | "nodes"> };

const addressOf = ({ cluster }: Snapshot) => ({
  uuid: cluster.master_node,
  ip: cluster.master_ip,
  netdev: cluster.master_netdev,
  netmask: cluster.master_netmask,
  family: cluster.primary_ip_family === 10 ? (6 as const) : (4 as const),
  externalScript: cluster.use_external_mip_script,
});

/** This node and the present master. @throws TakeoverError */
export function mastersOf({ content }: Content, { host }: GanetiSite): Masters {
  const own = content.nodes.find(({ name }) => name === host);
  const old = content.nodes.find(({ uuid }) => uuid === content.cluster.master_node);
  if (own === undefined) throw new TakeoverError(`${host} is not a node of the cluster`);
  if (old === undefined) throw new TakeoverError("config.data names no master");
  if (own.uuid === old.uuid) throw new TakeoverError(`${host} is already the master`);
  return { own, old };
}

/** @throws TakeoverError if this node cannot be the master */
export async function checkOwn(
  site: GanetiSite,
  { content }: Content,
  own: NodeObject,
): Promise<void> {
  if (!own.master_candidate || own.offline) {
    throw new TakeoverError(`${own.name} is not a master candidate`);
  }
  const digest = await ownDigest(site);
  if (content.cluster.candidate_certs[own.uuid] !== digest) {
    throw new TakeoverError(`config.data does not list the certificate of ${own.name}`);
  }
  const [daemon] = await livingDaemons(site);
  if (daemon !== undefined) {
    throw new TakeoverError(`${daemon.name} is running (process ${daemon.pid})`);
  }
}

/** More than half of all nodes must answer, and those that do must still name the old master. @throws TakeoverError */
export async function checkVotes(nodes: NodeBackend, { content }: Content, old: NodeObject) {
  const { votes, voters } = await holdVote(nodes, content, old.name);
  const answered = votes.reduce((sum, [, count]) => sum + count, 0);
  if (2 * answered <= voters) {
    throw new TakeoverError(
      `only ${answered} of ${voters} nodes answer; --no-voting skips this, and may make two masters`,
    );
  }
  const [named] = votes[0] ?? [];
  if (named !== old.name) {
    throw new TakeoverError(
      `the configuration of this node names ${old.name} as the master, but most nodes name ${named}: it is outdated`,
    );
  }
}

/** The changed configuration: the old master keeps its instances, but is neither master nor candidate. */
export function newMasterIn(
  cluster: ClusterObject,
  { own, old }: Masters,
): { readonly cluster: ClusterObject; readonly old: NodeObject } {
  const candidate_certs = withoutCertificatesOf(old.uuid, cluster.candidate_certs);
  return {
    cluster: { ...cluster, master_node: own.uuid, candidate_certs },
    old: { ...old, master_candidate: false },
  };
}

/**
 * Informs all online nodes of the new master. The list of certificates is sent first and alone: it is the fence.
 * @throws TakeoverError if this node itself refuses
 */
export async function tellNodes(
  nodes: NodeBackend,
  now: Snapshot,
  own: NodeObject,
  log: TakeoverLog,
): Promise<void> {
  const values = ssconfValues(now);
  const { master_candidates_certs = "" } = values;
  const online = [...now.nodes()].filter(({ offline }) => !offline);
  const send = (node: NodeObject, some: Readonly<Record<string, string>>) =>
    nodes.call(node.uuid, "write_ssconf_files", { values: linesOf(some) }, anyCaller);
  const fences = await Promise.all(online.map((node) => send(node, { master_candidates_certs })));
  await Promise.all(
    online.map(async (node, at) => {
      // Skip nodes that did not answer: each further call would cost seconds.
      const fence = fences[at];
      const answer = fence === undefined || fence.ok ? await send(node, values) : fence;
      if (answer.ok) return;
      if (node.uuid === own.uuid) throw new TakeoverError(`${node.name}: ${answer.message}`);
      log.warn(
        { node: node.name, problem: answer.message },
        "the node was not told of the new master",
      );
    }),
  );
}

const linesOf = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(values).map(([key, text]) => [key, ssconfLines(text)]));

/** Takes the cluster's address from the old master, if that still answers. */
export async function takeAddress(
  nodes: NodeBackend,
  before: Snapshot,
  old: NodeObject,
  log: TakeoverLog,
): Promise<void> {
  const given = await nodes.call(
    old.uuid,
    "node_deactivate_master_ip",
    addressOf(before),
    anyCaller,
  );
  if (given.ok) return;
  const problem = given.message;
  log.warn({ node: old.name, problem }, "could not take the cluster's address from the old master");
}

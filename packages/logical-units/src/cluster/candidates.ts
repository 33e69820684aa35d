/** Certificates of master candidates in the configuration, and log lines about new candidates. */
import { type ConfigChange, putCluster, withoutCertificatesOf } from "@ganeti-ts/config";
import type { ClusterObject, NodeObject, NodeUuid } from "@ganeti-ts/protocol";
import { ask, info, warn } from "../unit/effects.js";
import type { UnitContext, World } from "../unit/unit.js";
import { candidateCounts } from "./candidate-pool.js";

/**
 * Digests of the certificates that nodes use, by UUID; a node that does not answer causes a
 * warning.
 */
export async function certificateDigests(
  world: World,
  nodes: readonly Pick<NodeObject, "uuid" | "name">[],
): Promise<ReadonlyMap<NodeUuid, string>> {
  const digests = new Map<NodeUuid, string>();
  for (const { uuid, name } of nodes) {
    const answer = await ask(world, uuid, "node_crypto_tokens", {});
    if (answer.ok) digests.set(uuid, answer.value.digest);
    else
      warn(world, `Could not retrieve the certificate digest of node ${name}: ${answer.message}`);
  }
  return digests;
}

/** Nodes to promote that have answered with the digests of their certificates: without them they could call no other node. */
export async function answeringNodes(
  world: World,
  promoted: readonly NodeObject[],
): Promise<{
  readonly promoted: readonly NodeObject[];
  readonly digests: ReadonlyMap<NodeUuid, string>;
}> {
  const digests = await certificateDigests(world, promoted);
  return { promoted: promoted.filter(({ uuid }) => digests.has(uuid)), digests };
}

/** The cluster with certificates added, and those of `gone` left out. */
export function withCertificates(
  cluster: ClusterObject,
  added: ReadonlyMap<NodeUuid, string>,
  gone: readonly NodeUuid[] = [],
): ConfigChange {
  const kept = gone.reduce(
    (certificates, uuid) => withoutCertificatesOf(uuid, certificates),
    cluster.candidate_certs,
  );
  const candidate_certs = { ...kept, ...Object.fromEntries(added) };
  return putCluster({ ...cluster, candidate_certs });
}

/** Logs the promoted nodes, and a warning if there are more candidates than wanted. */
export function tellOfCandidates(
  context: UnitContext,
  promoted: readonly NodeObject[],
  except: ReadonlySet<NodeUuid>,
): void {
  if (promoted.length > 0) {
    const names = promoted.map(({ name }) => name).join(", ");
    info(context, `Promoted nodes to master candidate role: ${names}`);
  }
  const { actual, wanted } = candidateCounts(context.now, except);
  if (actual > wanted) {
    info(context, `Note: more nodes are candidates (${actual}) than desired (${wanted})`);
  }
}

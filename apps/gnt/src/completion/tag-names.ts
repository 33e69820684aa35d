/** Tags: those that a thing has where they are to go, else those that things of its kind have. */
import type { Cluster, QueryKind, TagKind } from "../cluster.js";
import type { Candidate } from "./candidate.js";

const kinds: Readonly<Record<string, TagKind>> = {
  "gnt-cluster": "cluster",
  "gnt-node": "node",
  "gnt-group": "group",
  "gnt-instance": "instance",
  "gnt-network": "network",
};

interface Place {
  readonly program: string;
  readonly command: string;
  /** The arguments before: the name of the thing, unless it is the cluster, and tags. */
  readonly before: readonly string[];
  readonly cluster: Cluster;
}

/** @throws what a cluster throws that does not answer */
export async function tagNames({
  program,
  command,
  before,
  cluster,
}: Place): Promise<readonly Candidate[]> {
  const kind = kinds[program];
  if (kind === undefined) return [];
  const isCluster = kind === "cluster";
  const [name, ...written] = isCluster ? ["", ...before] : before;
  const tags =
    isCluster || command === "remove-tags"
      ? await cluster.tags(kind, name)
      : await tagsInUse(cluster, kind);
  return [...new Set(tags)]
    .filter((tag) => !written.includes(tag))
    .sort()
    .map((text) => ({ text }));
}

async function tagsInUse(cluster: Cluster, kind: QueryKind): Promise<readonly string[]> {
  const { data } = await cluster.query(kind, ["tags"], null);
  return data.flatMap(([tags]) => (Array.isArray(tags?.[1]) ? tags[1].map(String) : []));
}

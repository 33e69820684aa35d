/** Tag candidates: for removal those of the object, otherwise those of all objects of its kind. */
import { type Cluster, type QueryKind, taggedKinds } from "../cluster.js";
import type { Candidate } from "./live-names.js";

interface Place {
  readonly program: string;
  readonly command: string;
  /** The preceding arguments: the name of the object, unless it is the cluster, and tags. */
  readonly before: readonly string[];
  readonly cluster: Cluster;
}

/** @throws the error of a cluster that does not answer */
export async function tagNames({
  program,
  command,
  before,
  cluster,
}: Place): Promise<readonly Candidate[]> {
  const kind = taggedKinds[program];
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

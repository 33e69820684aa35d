/** Names of existing objects of a cluster, by kind. */
import type { Cluster, QueryKind } from "../cluster.js";
import type { Kind } from "../command.js";

/** Query, name field and description field of each kind. */
const queried: Readonly<Partial<Record<Kind, readonly [QueryKind, string, string?]>>> = {
  instance: ["instance", "name", "status"],
  node: ["node", "name", "role"],
  group: ["group", "name"],
  network: ["network", "name", "network"],
  job: ["job", "id", "summary"],
  filter: ["filter", "uuid"],
};

/** Kinds listed by each program, for the names of their fields. */
const listed: Readonly<Record<string, QueryKind>> = {
  "gnt-instance": "instance",
  "gnt-node": "node",
  "gnt-group": "group",
  "gnt-job": "job",
  "gnt-network": "network",
  "gnt-filter": "filter",
  "gnt-backup": "export",
};

/** Empty for kinds without names. @throws the error of a cluster that does not answer */
export async function liveNames(
  kind: Kind,
  program: string,
  cluster: Cluster,
): Promise<readonly Candidate[]> {
  const found = queried[kind];
  if (found !== undefined) {
    const [resource, name, about] = found;
    const fields = about === undefined ? [name] : [name, about];
    const { data } = await cluster.query(resource, fields, null);
    return data.map(([name, about]) => {
      const text = String(name?.[1]);
      return about?.[0] === 0 ? { text, about: String(about[1]) } : { text };
    });
  }
  if (kind === "os") {
    const names = await cluster.call("GET", "/2/os");
    return (Array.isArray(names) ? names : []).map((text) => ({ text: String(text) }));
  }
  const resource = listed[program];
  if (kind !== "field" || resource === undefined) return [];
  return (await cluster.queryFields(resource)).map(({ name, doc }) => ({ text: name, about: doc }));
}

export interface Candidate {
  readonly text: string;
  /** Short description. */
  readonly about?: string;
}

/** Text of a message for a program (protocol version 2). */
import type { ClusterEntries } from "./entries.js";
import type { RequestEntry } from "./requests.js";

/** Entries keep their order, even if names look like numbers. One line. O(text). */
export function messageText(cluster: ClusterEntries, request: RequestEntry): string {
  const { clusterName, tags, hypervisors, policy, groups, nodes, instances } = cluster;
  const parts: [key: string, text: string][] = [
    ["version", "2"],
    ["cluster_name", JSON.stringify(clusterName)],
    ["cluster_tags", JSON.stringify(tags)],
    ["enabled_hypervisors", JSON.stringify(hypervisors)],
    ["ipolicy", JSON.stringify(policy)],
    ["nodegroups", objectText(groups)],
    ["nodes", objectText(nodes)],
    ["instances", objectText(instances)],
    ["request", JSON.stringify(request)],
  ];
  return `{${parts.map(([key, text]) => `"${key}":${text}`).join(",")}}`;
}

/** Texts of instances that have not changed. */
const texts = new WeakMap<object, string>();

function objectText(entries: readonly (readonly [name: string, entry: object])[]): string {
  const members = entries.map(([name, entry]) => {
    let text = texts.get(entry);
    if (text === undefined) {
      text = JSON.stringify(entry);
      texts.set(entry, text);
    }
    return `${JSON.stringify(name)}:${text}`;
  });
  return `{${members.join(",")}}`;
}

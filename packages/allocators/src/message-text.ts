/** Text of a message for a program (protocol version 2). */
import { asciiJson } from "@ganeti-ts/protocol";
import type { ClusterEntries } from "./entries.js";
import type { RequestEntry } from "./requests.js";

/**
 * Entries keep their order, even if names look like numbers. One line of ASCII, as Ganeti writes it, which programs can
 * read in any locale. O(text).
 */
export function messageText(cluster: ClusterEntries, request: RequestEntry): string {
  const { clusterName, tags, hypervisors, policy, groups, nodes, instances } = cluster;
  const parts: [key: string, text: string][] = [
    ["version", "2"],
    ["cluster_name", jsonOf(clusterName)],
    ["cluster_tags", jsonOf(tags)],
    ["enabled_hypervisors", jsonOf(hypervisors)],
    ["ipolicy", jsonOf(policy)],
    ["nodegroups", objectText(groups)],
    ["nodes", objectText(nodes)],
    ["instances", objectText(instances)],
    ["request", jsonOf(request)],
  ];
  return `{${parts.map(([key, text]) => `"${key}":${text}`).join(",")}}`;
}

const jsonOf = (value: unknown): string => asciiJson(JSON.stringify(value));

/** Cached texts of entries. */
const texts = new WeakMap<object, string>();

function objectText(entries: readonly (readonly [name: string, entry: object])[]): string {
  const members = entries.map(([name, entry]) => {
    let text = texts.get(entry);
    if (text === undefined) {
      text = jsonOf(entry);
      texts.set(entry, text);
    }
    return `${jsonOf(name)}:${text}`;
  });
  return `{${members.join(",")}}`;
}

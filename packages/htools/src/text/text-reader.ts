/**
 * Reads a cluster from the text format (`.data` files).
 *
 * Five sections, separated by one empty line each: groups, nodes, instances, cluster tags, policies
 * (the last may be missing). Columns are separated by `|`, lists by `,`. Columns at the end of a line
 * may be missing, as in older files; further ones are ignored.
 */
import { allocationPolicies, type ClusterData, type GroupData } from "@ganeti-ts/protocol";
import { DataError } from "../model/data-error.js";
import { defaultPolicy } from "../model/default-policy.js";
import { columnsOf, readList, readWord } from "./text-reader-columns.js";
import { readInstance } from "./text-reader-instances.js";
import { readNode } from "./text-reader-nodes.js";
import { readPolicies } from "./text-reader-policies.js";

/**
 * Throws a DataError that names the line's owner and the fault. If names or UUIDs repeat, the last one is
 * meant. Source: Ganeti, HTools/Backend/Text.hs.
 */
export function readClusterText(text: string): ClusterData {
  const [groupLines, nodeLines, instanceLines, tags, policyLines] = sections(text);
  const groups = groupLines.map(readGroup);
  const groupsByUuid = new Map(groups.map(({ uuid }, index) => [uuid, index]));
  const nodes = nodeLines.map((line) => readNode(line, groupsByUuid));
  const nodesByName = new Map(nodes.map(({ name }, index) => [name, index]));
  const instances = instanceLines.map((line) => readInstance(line, nodesByName));
  const policies = readPolicies(policyLines, groups);
  return {
    groups: groups.map((group, index) => ({
      ...group,
      policy: policies.ofGroups.get(index) ?? group.policy,
    })),
    nodes,
    instances,
    tags,
    policy: policies.ofCluster,
    hypervisor: undefined,
  };
}

type Lines = readonly string[];

function sections(text: string): [Lines, Lines, Lines, Lines, Lines] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const found: string[][] = lines.length > 0 ? [[]] : [];
  for (const line of lines) {
    if (line === "") found.push([]);
    else found.at(-1)?.push(line);
  }
  const [groups, nodes, instances, tags, policies = []] = found;
  if (!groups || !nodes || !instances || !tags) {
    throw new DataError(
      `Invalid format of the input file: ${found.length} sections instead of 4 or more`,
    );
  }
  return [groups, nodes, instances, tags, policies];
}

function readGroup(line: string): GroupData {
  const [name, uuid, policy, tags, networks = ""] = columnsOf(
    line,
    4,
    "Invalid/incomplete group data",
  );
  return {
    name,
    uuid,
    allocationPolicy: readWord(policy, allocationPolicies, "AllocPolicy"),
    networks: readList(networks),
    tags: readList(tags),
    policy: defaultPolicy,
  };
}
